#include "widgets/theme/tab_order.h"

namespace highwater::widgets {

void tabBefore(QWidget* button, const QWidget& body) {
    QWidget* last = button;
    for (QWidget* each : body.findChildren<QWidget*>()) {
        if ((each->focusPolicy() & Qt::TabFocus) != 0 && !each->focusProxy() &&
            each->window() == button->window()) {  // not the list that a combo box drops
            QWidget::setTabOrder(last, each);
            last = each;
        }
    }
    if (last != button) {
        QWidget::setTabOrder(last, button);
    }
}

}  // namespace highwater::widgets
