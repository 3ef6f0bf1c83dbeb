#include "app/desktop/experiment/bar/icons.h"

#include <QPainter>

namespace highwater::desktop {

namespace {

QPixmap draw(Glyph glyph, const QColor& color, double ratio) {
    constexpr int kSize = 12;
    QPixmap pixmap(QSize(kSize, kSize) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(color);
    if (glyph == Glyph::Play) {
        painter.drawPolygon(QPolygonF({{2.5, 1.5}, {10.5, 6.0}, {2.5, 10.5}}));
    } else {
        painter.drawRoundedRect(QRectF(2.5, 2.5, 7, 7), 1, 1);
    }
    return pixmap;
}

}  // namespace

QIcon glyphIcon(Glyph glyph, const QColor& color, const QColor& disabled) {
    QIcon icon;
    for (const double ratio : {1.0, 2.0, 3.0}) {
        icon.addPixmap(draw(glyph, color, ratio));
        icon.addPixmap(draw(glyph, disabled, ratio), QIcon::Disabled);
    }
    return icon;
}

}  // namespace highwater::desktop
