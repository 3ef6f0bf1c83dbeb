#include "widgets/scan/slice/slice_marks.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "widgets/scan/view_paint.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

constexpr QColor kAxial{255, 122, 112}, kCoronal{98, 210, 143}, kSagittal{190, 148, 255};
constexpr QColor kCrop{88, 214, 224};
constexpr QColor kDistance{255, 224, 102};
constexpr QColor kRim{0, 0, 0, 220};  // below lines and around handles
constexpr double kGap = 6;            // pixels left free around the cursor

QString sizeText(std::int64_t columns, std::int64_t rows, double width, double height, bool spacingKnown) {
    const QString voxels = QString("%1 × %2").arg(columns).arg(rows);
    if (!spacingKnown) {
        return voxels;
    }
    return voxels +
           QString(" · %1 × %2 mm").arg(QString::number(width, 'f', 1), QString::number(height, 'f', 1));
}

}  // namespace

QColor planeColor(volume::Plane plane) {
    return plane == volume::Plane::Axial ? kAxial : plane == volume::Plane::Coronal ? kCoronal : kSagittal;
}

volume::Plane planeOfColumns(volume::Plane plane) {
    return plane == volume::Plane::Sagittal ? volume::Plane::Coronal : volume::Plane::Sagittal;
}

volume::Plane planeOfRows(volume::Plane plane) {
    return plane == volume::Plane::Axial ? volume::Plane::Coronal : volume::Plane::Axial;
}

void paintCrosshair(QPainter& painter, const SliceFrame& frame, const Index3& cursor) {
    const auto pixel = frame.layout.pixel(
        {static_cast<double>(cursor[0]), static_cast<double>(cursor[1]), static_cast<double>(cursor[2])});
    const QPointF at = frame.toScreen({pixel[0], pixel[1]});
    const QRectF t = frame.target().intersected(frame.view);
    const auto pen = [](volume::Plane plane) {
        QColor color = planeColor(plane);
        color.setAlphaF(0.75F);
        return QPen(color, 1);
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setClipRect(t);
    painter.setPen(pen(planeOfRows(frame.layout.plane)));
    painter.drawLine(QPointF(t.left(), at.y()), QPointF(std::max(t.left(), at.x() - kGap), at.y()));
    painter.drawLine(QPointF(std::min(t.right(), at.x() + kGap), at.y()), QPointF(t.right(), at.y()));
    painter.setPen(pen(planeOfColumns(frame.layout.plane)));
    painter.drawLine(QPointF(at.x(), t.top()), QPointF(at.x(), std::max(t.top(), at.y() - kGap)));
    painter.drawLine(QPointF(at.x(), std::min(t.bottom(), at.y() + kGap)), QPointF(at.x(), t.bottom()));
    painter.restore();
}

std::vector<ViewNote> letters(const SliceFrame& frame) {
    const auto note = [&](Qt::Alignment alignment, char letter) {
        return ViewNote{frame.view.toRect(), alignment, QString(QLatin1Char(letter)), kViewText};
    };
    const auto& l = frame.layout;
    return {note(Qt::AlignLeft | Qt::AlignVCenter, l.left), note(Qt::AlignRight | Qt::AlignVCenter, l.right),
            note(Qt::AlignTop | Qt::AlignHCenter, l.top), note(Qt::AlignBottom | Qt::AlignHCenter, l.bottom)};
}

ScaleBar scaleBar(double pixelsPerUnit, double mostPixels) {
    const double most = mostPixels / pixelsPerUnit;
    if (!(pixelsPerUnit > 0) || !std::isfinite(most) || !(most > 0)) {
        return {};
    }
    const double decade = std::pow(10, std::floor(std::log10(most)));
    for (const double step : {5.0, 2.0, 1.0}) {
        if (step * decade <= most) {
            return {step * decade, step * decade * pixelsPerUnit};
        }
    }
    return {};
}

ScaleBar scaleBarOf(const SliceFrame& frame, bool spacingKnown) {
    const double unit = spacingKnown ? frame.layout.columnSpacing : 1;
    const double columns = static_cast<double>(frame.layout.width);
    return scaleBar(frame.target().width() / (columns * unit), frame.view.width() * 0.28);
}

ViewNote scaleNote(const SliceFrame& frame, bool spacingKnown) {
    const ScaleBar bar = scaleBarOf(frame, spacingKnown);
    return {frame.view.toRect().adjusted(0, 0, -1, -11), Qt::AlignRight | Qt::AlignBottom,
            bar.length > 0 ? (spacingKnown ? QStringLiteral("%1 mm") : QObject::tr("%1 voxels"))
                                 .arg(QString::number(bar.length))
                           : QString()};
}

void paintScaleBar(QPainter& painter, const SliceFrame& frame, bool spacingKnown) {
    const ScaleBar bar = scaleBarOf(frame, spacingKnown);
    const QRect view = frame.view.toRect();
    const QPointF end(view.right() - 8, view.bottom() - 8), begin = end - QPointF(bar.pixels, 0);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const auto& [color, width] : {std::pair{QColor(0, 0, 0, 150), 3.0}, std::pair{kViewText, 1.0}}) {
        painter.setPen(QPen(color, width));
        painter.drawLine(begin, end);
        for (const QPointF& p : {begin, end}) {
            painter.drawLine(p - QPointF(0, 3), p + QPointF(0, 2));
        }
    }
    painter.restore();
}

std::array<QRectF, 8> cropHandles(const QRectF& outline, const QRectF& view) {
    const std::array<double, 3> x{outline.left(), outline.center().x(), outline.right()},
        y{outline.top(), outline.center().y(), outline.bottom()};
    std::array<QRectF, 8> out;
    std::size_t n = 0;
    for (std::size_t column = 0; column < 3; ++column) {
        for (std::size_t row = 0; row < 3; ++row) {
            if (column == 1 && row == 1) {
                continue;
            }
            QRectF handle(x[column] - kHandle / 2, y[row] - kHandle / 2, kHandle, kHandle);
            const QRectF room = view.adjusted(1, 1, -1, -1);
            handle.moveLeft(
                std::clamp(handle.left(), room.left(), std::max(room.left(), room.right() - kHandle)));
            handle.moveTop(
                std::clamp(handle.top(), room.top(), std::max(room.top(), room.bottom() - kHandle)));
            out[n++] = handle;
        }
    }
    return out;
}

void paintCrop(QPainter& painter, const SliceFrame& frame, const PatchBox& crop, std::int64_t index,
               bool handles) {
    const QRectF target = frame.target(), inside = frame.outline(crop).intersected(target);
    QPainterPath outside;
    outside.addRect(target);
    if (frame.crosses(crop, index)) {
        outside.addRect(inside);  // odd-even fill: a hole
    }
    painter.save();
    painter.fillPath(outside, QColor(0, 0, 0, 150));
    if (handles || frame.crosses(crop, index)) {
        if (handles) {  // a dark line below it, because there may be bright voxels on either side
            painter.setPen(QPen(kRim, 3));
            painter.drawRect(inside);
        }
        painter.setPen(QPen(kCrop, 1, frame.crosses(crop, index) ? Qt::SolidLine : Qt::DashLine));
        painter.drawRect(inside);
    }
    if (handles) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(kRim, 1.5));
        painter.setBrush(kCrop);
        for (const QRectF& handle : cropHandles(inside, frame.view)) {
            painter.drawRect(handle);
        }
    }
    painter.restore();
}

void paintDistance(QPainter& painter, const SliceFrame& frame, const QLineF& line, const QString& text,
                   bool chosen) {
    painter.save();
    painter.setClipRect(frame.view);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont(painter.font()));
    for (const auto& [color, width] : {std::pair{kRim, 3.5}, std::pair{kDistance, 1.5}}) {
        painter.setPen(QPen(color, width));
        painter.drawLine(line);
    }
    painter.setPen(QPen(kRim, 1));
    painter.setBrush(chosen ? kDistance : QColor(kRim));
    for (const QPointF& end : {line.p1(), line.p2()}) {
        painter.setPen(QPen(chosen ? kRim : kDistance, 1));
        painter.drawEllipse(end, 3.5, 3.5);
    }
    // Beside the end that is farther right, within the view.
    const QFontMetrics metrics = painter.fontMetrics();
    const QPointF end = line.p1().x() > line.p2().x() ? line.p1() : line.p2();
    QRectF tab(end.x() + 7, end.y() - metrics.height() / 2.0, metrics.horizontalAdvance(text) + 8,
               metrics.height() + 1);
    if (tab.right() > frame.view.right() - 2) {
        tab.moveRight(std::min(end.x() + tab.width() / 2, frame.view.right() - 2));
        tab.moveTop(end.y() + 7);
    }
    tab.moveTop(std::clamp(tab.top(), frame.view.top() + 2,
                           std::max(frame.view.top() + 2, frame.view.bottom() - tab.height() - 2)));
    painter.fillRect(tab, QColor(0, 0, 0, 170));
    painter.setPen(kDistance);
    painter.drawText(tab, Qt::AlignCenter, text);
    painter.restore();
}

PatchLabel patchLabel(const SliceFrame& frame, const PatchBox& patch, const QFontMetrics& metrics,
                      bool spacingKnown) {
    const auto columns = patch.extent[static_cast<std::size_t>(frame.layout.columnAxis)];
    const auto rows = patch.extent[static_cast<std::size_t>(frame.layout.rowAxis)];
    PatchLabel label;
    label.text = sizeText(columns, rows, static_cast<double>(columns) * frame.layout.columnSpacing,
                          static_cast<double>(rows) * frame.layout.rowSpacing, spacingKnown);
    const QRectF box = frame.outline(patch);
    if (!box.intersects(frame.view) || box.contains(frame.view)) {
        return label;
    }
    double width = metrics.horizontalAdvance(label.text) + 8;
    if (width > frame.view.width() - 28) {  // in a small view, only the voxels
        label.text = sizeText(columns, rows, 0, 0, false);
        width = metrics.horizontalAdvance(label.text) + 8;
    }
    const double height = metrics.height() + 1;
    const double top = box.top() - height >= frame.view.top() + 20
                           ? box.top() - height
                           : std::max(box.top(), frame.view.top() + 20);
    const double left = std::clamp(box.left(), frame.view.left() + 14,
                                   std::max(frame.view.left() + 14, frame.view.right() - width - 14));
    label.tab = {left, top, width, height};
    return label;
}

void paintPatch(QPainter& painter, const SliceFrame& frame, const PatchBox& patch, std::int64_t index,
                bool spacingKnown) {
    const bool here = frame.crosses(patch, index);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(boxPen(here));
    painter.drawRect(frame.outline(patch));
    if (here) {
        painter.setFont(smallFont(painter.font()));
        const PatchLabel label = patchLabel(frame, patch, painter.fontMetrics(), spacingKnown);
        if (!label.tab.isNull()) {
            painter.fillRect(label.tab, QColor(0, 0, 0, 140));
            painter.drawText(label.tab, Qt::AlignCenter, label.text);
        }
    }
    painter.restore();
}

double tilt(const volume::Geometry& geometry, const volume::SliceLayout& layout) {
    // The angle between the slice's plane and the anatomical plane, from the normal of columns and rows.
    const auto& u = geometry.direction[static_cast<std::size_t>(layout.columnAxis)];
    const auto& v = geometry.direction[static_cast<std::size_t>(layout.rowAxis)];
    const std::array<double, 3> n{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                  u[0] * v[1] - u[1] * v[0]};
    const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const std::size_t world = layout.plane == volume::Plane::Axial     ? 2
                              : layout.plane == volume::Plane::Coronal ? 1
                                                                       : 0;
    if (!(length > 0)) {
        return 0;
    }
    return std::acos(std::clamp(std::abs(n[world]) / length, 0.0, 1.0)) * 180 / std::numbers::pi;
}

}  // namespace highwater::widgets
