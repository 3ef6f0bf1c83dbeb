#include "widgets/theme/tab_order.h"

namespace highwater::widgets {

void tabBefore(QWidget* button, QWidget& body) {
    QWidget* last = button;
    for (QWidget* each : QList<QWidget*>{&body} + body.findChildren<QWidget*>()) {
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
