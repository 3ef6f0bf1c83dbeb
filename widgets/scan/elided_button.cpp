#include "widgets/scan/elided_button.h"

#include <QStyleOptionToolButton>
#include <QStylePainter>

namespace highwater::widgets {

QSize ElidedButton::minimumSizeHint() const {
    return {fontMetrics().horizontalAdvance("W 0…") + 14, sizeHint().height()};
}

void ElidedButton::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionToolButton option;
    initStyleOption(&option);
    const int frame = sizeHint().width() - fontMetrics().horizontalAdvance(text());
    option.text = fontMetrics().elidedText(text(), Qt::ElideRight, width() - frame);
    painter.drawComplexControl(QStyle::CC_ToolButton, option);
}

}  // namespace highwater::widgets
