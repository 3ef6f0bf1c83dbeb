#include "widgets/plot/annotations.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

double crisp(double v) {
    return std::floor(v) + 0.5;
}

/// Text with a rim of the background's colour, so that it reads over data too.
void paintText(QPainter& p, const QRectF& box, int flags, const QString& text, const QColor& color) {
    QColor rim = theme().panel;
    rim.setAlphaF(0.8F);
    const QRectF ink = p.boundingRect(box, flags, text).adjusted(-3, 0, 3, 0);
    p.setPen(Qt::NoPen);
    p.setBrush(rim);
    p.drawRoundedRect(ink, 3, 3);
    p.setPen(color);
    p.drawText(box, flags, text);
}

void paintUnit(QPainter& p, const ChartScene& scene, const PlotFrame& f) {
    const QRectF box(0, f.rect.top() - headRoom(scene.kind) + 1, f.rect.left() - 6, 14);
    p.setPen(theme().mutedText);
    p.drawText(box, Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(scene.y.unit));
}

void paintRegions(QPainter& p, const ChartScene& scene, const PlotFrame& f) {
    const double stripTop = f.rect.top() - 6;
    for (const Region& region : scene.regions) {
        const double left = std::max(f.rect.left(), f.pixelX(region.from));
        const double right = std::min(f.rect.right(), f.pixelX(region.to));
        if (right > left) {
            p.fillRect(QRectF(left, stripTop, right - left, 3), region.color);
        }
    }
    QColor thin = theme().mutedText;
    thin.setAlphaF(0.45F);
    p.setPen(QPen(thin, 1));
    for (const double at : scene.separators) {
        const double x = crisp(f.pixelX(at));
        if (x > f.rect.left() && x < f.rect.right()) {
            p.drawLine(QPointF(x, stripTop), QPointF(x, f.rect.bottom()));
        }
    }
    p.setPen(theme().mutedText);
    const QFontMetricsF metrics(p.font());
    for (const RegionLabel& label : scene.labels) {
        const double left = std::max(f.rect.left(), f.pixelX(label.from));
        const double right = std::min(f.rect.right(), f.pixelX(label.to));
        if (right - left >= metrics.horizontalAdvance(label.text) + 8) {
            p.drawText(QRectF(left, stripTop - 19, right - left, 17), Qt::AlignCenter, label.text);
        }
    }
}

void paintLine(QPainter& p, const LevelLine& line, const PlotFrame& f, Qt::Alignment side,
               double& outsideTop) {
    // What lies outside is named on the other side, clear of the lines' names.
    const Qt::Alignment other = side == Qt::AlignLeft ? Qt::AlignRight : Qt::AlignLeft;
    const int flags = static_cast<int>((line.outside ? other : side) | Qt::AlignVCenter);
    const double height = QFontMetricsF(p.font()).height();
    if (line.outside) {
        const QRectF box(f.rect.left() + 6, outsideTop, f.rect.width() - 12, height);
        paintText(p, box, flags, QStringLiteral("↑ ") + line.label, line.color);
        outsideTop += height + 2;
        return;
    }
    const double y = crisp(f.pixelY(line.at));
    p.setPen(QPen(line.color, 1.4, line.dashed ? Qt::DashLine : Qt::SolidLine));
    p.drawLine(QPointF(f.rect.left(), y), QPointF(f.rect.right(), y));
    const bool below = y - height - 2 < f.rect.top();
    const QRectF box(f.rect.left() + 6, below ? y + 2 : y - height - 2, f.rect.width() - 12, height);
    paintText(p, box, flags, line.label, line.color);
}

void paintBeside(QPainter& p, const QPointF& at, const QString& text, const PlotFrame& f, const QColor& c) {
    const QFontMetricsF metrics(p.font());
    const QSizeF size(metrics.horizontalAdvance(text) + 2, metrics.height());
    double left = at.x() + 8;
    if (left + size.width() > f.rect.right() - 4) {
        left = at.x() - 8 - size.width();
    }
    const double top = std::clamp(at.y() - size.height() / 2, f.rect.top() + 1,
                                  std::max(f.rect.top() + 1, f.rect.bottom() - size.height()));
    paintText(p, QRectF(QPointF(left, top), size), Qt::AlignCenter, text, c);
}

void paintMarker(QPainter& p, const Marker& marker, const PlotFrame& f) {
    const QPointF at(f.pixelX(marker.x), std::max(f.rect.top(), f.pixelY(marker.y)));
    if (at.x() < f.rect.left() - 1 || at.x() > f.rect.right() + 1) {
        return;
    }
    const Theme& t = theme();
    switch (marker.kind) {
        case MarkerKind::Peak:
            p.setPen(QPen(t.text, 1.6));
            p.setBrush(t.panel);
            p.drawEllipse(at, 3.5, 3.5);
            paintBeside(p, at - QPointF(0, 9), marker.label, f, t.text);
            return;
        case MarkerKind::Now:
            p.setPen(QPen(t.accent, 1));
            p.drawLine(QPointF(crisp(at.x()), f.rect.top()), QPointF(crisp(at.x()), f.rect.bottom()));
            p.setPen(QPen(t.panel, 1.5));
            p.setBrush(t.accent);
            p.drawEllipse(at, 4, 4);
            return;
        case MarkerKind::Refused:
            p.setPen(QPen(t.bad, 2));
            p.drawLine(QPointF(at.x(), f.rect.top()), QPointF(at.x(), f.rect.bottom()));
            p.setBrush(t.bad);
            p.drawEllipse(at, 4, 4);
            paintBeside(p, at, marker.label, f, t.bad);
            return;
        case MarkerKind::Jump:
            p.setPen(QPen(t.warning, 1.2, Qt::DotLine));
            p.drawLine(QPointF(crisp(at.x()), f.rect.top()), QPointF(crisp(at.x()), f.rect.bottom()));
            p.setPen(QPen(t.panel, 1.5));
            p.setBrush(t.warning);
            p.drawEllipse(at, 4, 4);
            paintBeside(p, at - QPointF(0, 9), marker.label, f, t.warning);
            return;
        case MarkerKind::Clipped: {
            const double half = QFontMetricsF(p.font()).horizontalAdvance(marker.label) / 2 + 12;
            const double middle = std::clamp(at.x(), f.rect.left() + half,
                                             std::max(f.rect.left() + half, f.rect.right() - half));
            paintText(p, QRectF(middle - half, f.rect.top() + 1, 2 * half, 15),
                      Qt::AlignHCenter | Qt::AlignTop, QStringLiteral("↑ ") + marker.label, t.mutedText);
            return;
        }
    }
}

QPolygonF outlinePath(const Outline& outline, const PlotFrame& f, double OutlinePoint::* value) {
    QPolygonF path;
    path.reserve(static_cast<qsizetype>(outline.points.size() * 2));
    for (std::size_t i = 0; i < outline.points.size(); ++i) {
        const OutlinePoint& point = outline.points[i];
        const bool last = i + 1 == outline.points.size();
        const double next = last ? outline.end : outline.points[i + 1].x;
        if (outline.stepwise && (next < f.from || point.x > f.to)) {
            continue;
        }
        const double y = f.pixelY(point.*value);
        path << QPointF(f.pixelX(point.x), y);
        if (outline.stepwise) {
            path << QPointF(f.pixelX(next), y);
        }
    }
    return path;
}

/// A dotted line as squares with a rim, so that it reads over any band. A dashed pen looks the same and takes
/// several milliseconds.
void paintDots(QPainter& p, const QPolygonF& line, const QColor& color) {
    constexpr double kEvery = 3.6, kSize = 1.8, kRim = 1;
    std::vector<QRectF> dots, rims;
    double next = 0;
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF from = line[i - 1], way = line[i] - line[i - 1];
        const double length = std::hypot(way.x(), way.y());
        for (; next <= length && length > 0; next += kEvery) {
            const QPointF at = from + way * (next / length);
            dots.emplace_back(at.x() - kSize / 2, at.y() - kSize / 2, kSize, kSize);
            rims.push_back(dots.back().adjusted(-kRim, -kRim, kRim, kRim));
        }
        next -= length;
    }
    QColor rim = theme().panel;
    rim.setAlphaF(0.55F);
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(Qt::NoPen);
    p.setBrush(rim);
    p.drawRects(rims.data(), static_cast<int>(rims.size()));
    p.setBrush(color);
    p.drawRects(dots.data(), static_cast<int>(dots.size()));
    p.setRenderHint(QPainter::Antialiasing);
}

void paintOutline(QPainter& p, const Outline& outline, const PlotFrame& f) {
    p.save();
    p.setClipRect(f.rect.adjusted(0, -2, 0, 1));
    QPolygonF band = outlinePath(outline, f, &OutlinePoint::high);
    const QPolygonF low = outlinePath(outline, f, &OutlinePoint::low);
    if (band != low) {
        for (qsizetype i = low.size(); i-- > 0;) {
            band << low[i];
        }
        QColor fill = outline.color;
        fill.setAlphaF(0.13F);
        p.setPen(Qt::NoPen);
        p.setBrush(fill);
        p.drawPolygon(band);
    }
    const QPolygonF line = outlinePath(outline, f, &OutlinePoint::y);
    if (outline.dotted) {
        paintDots(p, line, outline.color);
    } else {
        p.setBrush(Qt::NoBrush);
        p.setPen(outlinePen(outline.color, false));
        p.drawPolyline(line);
    }
    p.restore();
}

}  // namespace

QPen outlinePen(const QColor& color, bool dotted) {
    QPen pen(color, dotted ? 1.6 : 2, Qt::SolidLine, dotted ? Qt::FlatCap : Qt::RoundCap, Qt::RoundJoin);
    if (dotted) {
        pen.setDashPattern({1.2, 1.2});
    }
    return pen;
}

void paintAnnotations(QPainter& painter, const ChartScene& scene, const PlotFrame& frame) {
    painter.setRenderHint(QPainter::Antialiasing);
    QFont small = painter.font();
    small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.92));
    painter.setFont(small);
    paintUnit(painter, scene, frame);
    paintRegions(painter, scene, frame);
    for (const Outline& outline : scene.outlines) {
        paintOutline(painter, outline, frame);
    }
    double outsideTop = frame.rect.top() + 3;
    // What was refused stands at the right end as a rule; the lines' names then make room.
    const bool crowded = std::any_of(scene.markers.begin(), scene.markers.end(), [&](const Marker& m) {
        return m.kind == MarkerKind::Refused && frame.pixelX(m.x) > frame.rect.center().x();
    });
    for (const LevelLine& line : scene.lines) {
        paintLine(painter, line, frame, crowded ? Qt::AlignLeft : Qt::AlignRight, outsideTop);
    }
    for (const Marker& marker : scene.markers) {
        paintMarker(painter, marker, frame);
    }
}

}  // namespace highwater::widgets
