#include "widgets/scan/panel/scan_icons.h"

#include <QPainter>
#include <QPainterPath>

namespace highwater::widgets {
namespace {

constexpr int kSize = 16;

/// A half-filled disc: the symbol for contrast.
void paintWindow(QPainter& p) {
    p.drawEllipse(QRectF(2.5, 2.5, 11, 11));
    p.setBrush(p.pen().color());
    p.drawPie(QRectF(2.5, 2.5, 11, 11), 90 * 16, 180 * 16);
}

void paintInvert(QPainter& p) {
    p.drawRect(QRectF(2.5, 2.5, 11, 11));
    QPainterPath half;
    half.addPolygon(QPolygonF{{2.5, 13.5}, {13.5, 13.5}, {13.5, 2.5}});
    p.fillPath(half, p.pen().color());
}

void paintCrosshairGlyph(QPainter& p) {
    for (const QLineF& line :
         {QLineF(8, 1.5, 8, 6), QLineF(8, 10, 8, 14.5), QLineF(1.5, 8, 6, 8), QLineF(10, 8, 14.5, 8)}) {
        p.drawLine(line);
    }
}

void paintCropGlyph(QPainter& p) {
    p.drawPolyline(QPolygonF{{4.5, 1}, {4.5, 11.5}, {15, 11.5}});
    p.drawPolyline(QPolygonF{{1, 4.5}, {11.5, 4.5}, {11.5, 15}});
}

/// A line between two ends, like a dimension line.
void paintMeasure(QPainter& p) {
    for (const QLineF& line :
         {QLineF(2.5, 13.5, 13.5, 2.5), QLineF(0.8, 11.8, 4.2, 15.2), QLineF(11.8, 0.8, 15.2, 4.2)}) {
        p.drawLine(line);
    }
}

/// A tag with a hole.
void paintLabelsGlyph(QPainter& p) {
    p.drawPolygon(QPolygonF{{1.5, 5}, {9.5, 5}, {14.5, 8.5}, {9.5, 12}, {1.5, 12}});
    p.setBrush(p.pen().color());
    p.drawEllipse(QPointF(9.5, 8.5), 1, 1);
}

void paintKeys(QPainter& p) {
    QFont font = p.font();
    font.setPixelSize(12);
    font.setBold(true);
    p.setFont(font);
    p.drawText(QRectF(0, 0, kSize, kSize), Qt::AlignCenter, "?");
}

void paintGlyph(QPainter& p, ScanGlyph glyph) {
    switch (glyph) {
        case ScanGlyph::Window:
            return paintWindow(p);
        case ScanGlyph::Invert:
            return paintInvert(p);
        case ScanGlyph::Crosshair:
            return paintCrosshairGlyph(p);
        case ScanGlyph::Crop:
            return paintCropGlyph(p);
        case ScanGlyph::Measure:
            return paintMeasure(p);
        case ScanGlyph::Labels:
            return paintLabelsGlyph(p);
        case ScanGlyph::Keys:
            return paintKeys(p);
    }
}

}  // namespace

QIcon scanIcon(ScanGlyph glyph, const QColor& color) {
    QIcon icon;
    for (const int scale : {1, 2, 3}) {
        QPixmap pixmap(QSize(kSize, kSize) * scale);
        pixmap.setDevicePixelRatio(scale);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(color, 1.3));
        paintGlyph(painter, glyph);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

}  // namespace highwater::widgets
