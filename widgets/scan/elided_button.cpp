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
    const int missing = sizeHint().width() - width();
    if (missing > 0)
        option.text = fontMetrics().elidedText(text(), Qt::ElideRight,
                                               fontMetrics().horizontalAdvance(text()) - missing);
    painter.drawComplexControl(QStyle::CC_ToolButton, option);
}

}  // namespace highwater::widgets
