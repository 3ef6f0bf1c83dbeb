#include "widgets/theme/tab_order.h"

#include <QKeyEvent>

namespace highwater::widgets {

namespace {

class ReturnFilter : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject*, QEvent* event) override {
        const int key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event)->key() : 0;
        return key == Qt::Key_Return || key == Qt::Key_Enter;
    }
};

}  // namespace

void tabBefore(QWidget* button, QWidget& body) {
    QWidget* last = button;
    for (QWidget* each : QList<QWidget*>{&body} + body.findChildren<QWidget*>()) {
        if ((each->focusPolicy() & Qt::TabFocus) != 0 && !each->focusProxy() &&
            each->window() == button->window()) {  // not the popup list of a combo box
            QWidget::setTabOrder(last, each);
            last = each;
        }
    }
    if (last != button) {
        QWidget::setTabOrder(last, button);
    }
}

void pressOnlyFocusedButtons(QDialog& dialog) {
    dialog.installEventFilter(new ReturnFilter(&dialog));
}

}  // namespace highwater::widgets
