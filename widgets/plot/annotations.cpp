#include "widgets/plot/annotations.h"

#include <qcustomplot.h>

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kAboveStrip = 6;  ///< pixels between the phase strip and the chart

/// Aligns to a row or column of pixels: QCustomPlot paints antialiased lines half a pixel off.
double crisp(double v) {
    return std::floor(v);
}

/// Places items in the widget's pixel coordinates.
class Annotator {
public:
    Annotator(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame)
        : plot_(plot), scene_(scene), f_(frame), font_(chartFont(plot.font())), metrics_(font_) {}
    void annotate();

private:
    template <class Item>
    Item* add() {
        auto* item = new Item(&plot_);
        for (QCPItemPosition* position : item->positions()) {
            position->setType(QCPItemPosition::ptAbsolute);
        }
        item->setClipToAxisRect(false);
        item->setSelectable(false);
        return item;
    }
    QCPItemText* addText(const QRectF& box, Qt::Alignment alignment, const QString& text,
                         const QColor& color);
    void addRimmed(const QRectF& box, Qt::Alignment alignment, const QString& text, const QColor& color);
    void addLine(const QPointF& from, const QPointF& to, const QPen& pen);
    void addUpright(double x, const QPen& pen);
    void addBox(const QRectF& box, const QPen& pen, const QBrush& brush);
    void addDot(const QPointF& middle, double radius, const QPen& pen, const QBrush& brush);
    void addBeside(const QPointF& at, const QString& text, const QColor& color);
    void addStrip();
    void addLabels();
    void addLevel(const LevelLine& line, Qt::Alignment side);
    void addUprights();
    void addMarker(const Marker& marker);
    void addClipped(const Marker& marker, double x);
    void addRefused(const Marker& marker, const QPointF& at);

    QCustomPlot& plot_;
    const ChartScene& scene_;
    const PlotFrame& f_;
    QFont font_;
    QFontMetricsF metrics_;
    double outsideTop_ = 0;
};

QCPItemText* Annotator::addText(const QRectF& box, Qt::Alignment alignment, const QString& text,
                                const QColor& color) {
    auto* item = add<QCPItemText>();
    item->setPositionAlignment(alignment);
    item->setFont(font_);
    item->setText(text);
    item->setColor(color);
    item->setPen(Qt::NoPen);
    const double x = alignment.testFlag(Qt::AlignLeft)    ? box.left()
                     : alignment.testFlag(Qt::AlignRight) ? box.right()
                                                          : box.center().x();
    const double y = alignment.testFlag(Qt::AlignTop)      ? box.top()
                     : alignment.testFlag(Qt::AlignBottom) ? box.bottom()
                                                           : box.center().y();
    item->position->setCoords(x, y);
    return item;
}

/// Text with an outline in the background color, so that it is legible over data too.
void Annotator::addRimmed(const QRectF& box, Qt::Alignment alignment, const QString& text,
                          const QColor& color) {
    constexpr int kRim = 3;
    const double shift = alignment.testFlag(Qt::AlignLeft)    ? -kRim
                         : alignment.testFlag(Qt::AlignRight) ? kRim
                                                              : 0;
    QColor rim = theme().panel;
    rim.setAlphaF(0.8F);
    QCPItemText* item = addText(box.translated(shift, 0), alignment, text, color);
    item->setPadding(QMargins(kRim, 0, kRim, 0));
    item->setBrush(rim);
}

void Annotator::addLine(const QPointF& from, const QPointF& to, const QPen& pen) {
    auto* line = add<QCPItemLine>();
    line->setPen(pen);
    line->start->setCoords(from);
    line->end->setCoords(to);
}

void Annotator::addUpright(double x, const QPen& pen) {
    addLine(QPointF(crisp(x), f_.rect.top()), QPointF(crisp(x), f_.rect.bottom()), pen);
}

void Annotator::addBox(const QRectF& box, const QPen& pen, const QBrush& brush) {
    auto* rect = add<QCPItemRect>();
    rect->setPen(pen);
    rect->setBrush(brush);
    rect->setAntialiased(false);
    rect->topLeft->setCoords(box.topLeft());
    rect->bottomRight->setCoords(box.bottomRight());
}

void Annotator::addDot(const QPointF& middle, double radius, const QPen& pen, const QBrush& brush) {
    auto* dot = add<QCPItemEllipse>();
    dot->setPen(pen);
    dot->setBrush(brush);
    dot->topLeft->setCoords(middle - QPointF(radius, radius));
    dot->bottomRight->setCoords(middle + QPointF(radius, radius));
}

void Annotator::addStrip() {
    const double top = f_.rect.top() - kAboveStrip;
    for (const Region& region : scene_.regions) {
        const double left = std::max(f_.rect.left(), f_.pixelX(region.from));
        const double right = std::min(f_.rect.right(), f_.pixelX(region.to));
        if (right > left) {
            addBox(QRectF(left, top, right - left, 3), Qt::NoPen, region.color);
        }
    }
    QColor thin = theme().mutedText;
    thin.setAlphaF(0.45F);
    for (const double at : scene_.separators) {
        const double x = crisp(f_.pixelX(at));
        if (x >= f_.rect.left() && x < f_.rect.right()) {
            addLine(QPointF(x, top), QPointF(x, f_.rect.bottom()), QPen(thin, 1));
        }
    }
}

void Annotator::addLabels() {
    const double top = f_.rect.top() - kAboveStrip - 19;
    for (const RegionLabel& label : scene_.labels) {
        const double left = std::max(f_.rect.left(), f_.pixelX(label.from));
        const double right = std::min(f_.rect.right(), f_.pixelX(label.to));
        if (right - left >= metrics_.horizontalAdvance(label.text) + 8) {
            addText(QRectF(left, top, right - left, 17), Qt::AlignCenter, label.text, theme().mutedText);
        }
    }
}

void Annotator::addLevel(const LevelLine& line, Qt::Alignment side) {
    // A line outside the axes is named on the opposite side, clear of the other lines' names.
    const Qt::Alignment other = side == Qt::AlignLeft ? Qt::AlignRight : Qt::AlignLeft;
    const double height = metrics_.height();
    const QRectF row = f_.rect.adjusted(6, 0, -6, 0);
    if (line.outside) {
        addRimmed(QRectF(row.left(), outsideTop_, row.width(), height), other | Qt::AlignVCenter,
                  QStringLiteral("↑ ") + line.label, line.color);
        outsideTop_ += height + 2;
        return;
    }
    const double y = crisp(f_.pixelY(line.at));
    if (y > f_.rect.bottom() + 1) {
        return;
    }
    addLine(QPointF(f_.rect.left(), y), QPointF(f_.rect.right(), y),
            QPen(line.color, 1.4, line.dashed ? Qt::DashLine : Qt::SolidLine));
    // In a low plot there is room on neither side; above the line nothing is drawn through the name.
    const bool below = y - height - 2 < f_.rect.top() && y + 2 + height <= f_.rect.bottom();
    addRimmed(QRectF(row.left(), below ? y + 2 : y - height - 2, row.width(), height),
              side | Qt::AlignVCenter, line.label, line.color);
}

void Annotator::addUprights() {
    constexpr int kRows = 4;
    std::array<std::vector<QRectF>, kRows> taken;
    for (const UprightLine& line : scene_.uprights) {
        const double x = f_.pixelX(line.at), wide = metrics_.horizontalAdvance(line.label) + 8;
        if (x < f_.rect.left() || x > f_.rect.right()) {
            continue;
        }
        addUpright(x, QPen(line.color, line.dashed ? 1 : 1.6, line.dashed ? Qt::DashLine : Qt::SolidLine));
        const bool right = x + wide + 4 < f_.rect.right();
        const QRectF name(right ? x + 4 : x - 4 - wide, f_.rect.top(), wide, metrics_.height());
        const auto row = std::find_if(taken.begin(), taken.end(), [&](const std::vector<QRectF>& names) {
            return std::none_of(names.begin(), names.end(),
                                [&](const QRectF& other) { return other.intersects(name); });
        });
        if (row != taken.end()) {
            row->push_back(name);
            addRimmed(name.translated(0, static_cast<double>(row - taken.begin()) * (name.height() + 2)),
                      (right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, line.label, line.color);
        }
    }
}

void Annotator::addBeside(const QPointF& at, const QString& text, const QColor& color) {
    const QSizeF size(metrics_.horizontalAdvance(text) + 2, metrics_.height());
    double left = at.x() + 8;
    if (left + size.width() > f_.rect.right() - 4) {
        left = at.x() - 8 - size.width();
    }
    const double top = std::clamp(at.y() - size.height() / 2, f_.rect.top() + 1,
                                  std::max(f_.rect.top() + 1, f_.rect.bottom() - size.height()));
    addRimmed(QRectF(QPointF(left, top), size), Qt::AlignCenter, text, color);
}

/// The size of a clipped bar, above it.
void Annotator::addClipped(const Marker& marker, double x) {
    const double half = metrics_.horizontalAdvance(marker.label) / 2 + 12;
    const double left = f_.rect.left() + half;
    const double middle = std::clamp(x, left, std::max(left, f_.rect.right() - half));
    addRimmed(QRectF(middle - half, f_.rect.top() + 1, 2 * half, 15), Qt::AlignHCenter | Qt::AlignTop,
              QStringLiteral("↑ ") + marker.label, theme().mutedText);
}

/// The refused allocation on top of the memory in use: a hatched box beside the line of that moment.
void Annotator::addRefused(const Marker& marker, const QPointF& at) {
    constexpr double kWidth = 12;
    const QColor bad = theme().bad;
    const double top = std::max(f_.rect.top(), f_.pixelY(marker.y + marker.above));
    addLine(QPointF(at.x(), f_.rect.top()), QPointF(at.x(), f_.rect.bottom()), QPen(bad, 1.4));
    const bool fits = at.x() + kWidth <= f_.rect.right() + 1;
    const QRectF box(fits ? at.x() : at.x() - kWidth, top, kWidth, std::max(2.0, at.y() - top));
    QColor fill = bad;
    fill.setAlphaF(0.35F);
    addBox(box, QPen(bad, 1), fill);
    addBox(box, Qt::NoPen, QBrush(bad, Qt::BDiagPattern));
    addBeside(QPointF(at.x(), std::min(at.y(), box.top() + metrics_.height() / 2.0)), marker.label, bad);
}

void Annotator::addMarker(const Marker& marker) {
    const QPointF at(f_.pixelX(marker.x), std::max(f_.rect.top(), f_.pixelY(marker.y)));
    if (at.x() < f_.rect.left() - 1 || at.x() > f_.rect.right() + 1) {
        return;
    }
    const Theme& t = theme();
    switch (marker.kind) {
        case MarkerKind::Peak:
            addDot(at, 3.5, QPen(t.text, 1.6), t.panel);
            addBeside(at - QPointF(0, 9), marker.label, t.text);
            return;
        case MarkerKind::Now:
            addUpright(at.x(), QPen(t.accent, 1));
            addDot(at, 4, QPen(t.panel, 1.5), t.accent);
            return;
        case MarkerKind::Refused:
            addRefused(marker, at);
            return;
        case MarkerKind::Jump:
            addUpright(at.x(), QPen(t.warning, 1.2, Qt::DotLine));
            addDot(at, 4, QPen(t.panel, 1.5), t.warning);
            addBeside(at - QPointF(0, 9), marker.label, t.warning);
            return;
        case MarkerKind::Clipped:
            addClipped(marker, at.x());
            return;
    }
}

void Annotator::annotate() {
    if (scene_.framed) {
        addBox(f_.rect, QPen(theme().border, 1), Qt::NoBrush);
    }
    addText(QRectF(0, f_.rect.top() - headRoom(scene_.kind) + 1, f_.rect.left() - 6, 14),
            Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(scene_.y.unit), theme().mutedText);
    addStrip();
    addLabels();
    outsideTop_ = f_.rect.top() + 3;
    // A refused allocation is usually at the right end; the lines' names then move to the left.
    const bool crowded = std::any_of(scene_.markers.begin(), scene_.markers.end(), [this](const Marker& m) {
        return m.kind == MarkerKind::Refused && f_.pixelX(m.x) > f_.rect.center().x();
    });
    for (const LevelLine& line : scene_.lines) {
        addLevel(line, crowded ? Qt::AlignLeft : Qt::AlignRight);
    }
    addUprights();
    for (const Marker& marker : scene_.markers) {
        addMarker(marker);
    }
    for (const Caption& caption : scene_.captions) {
        QCPItemText* text = addText(caption.box, caption.alignment, caption.text, caption.color);
        text->setFont(caption.small ? font_ : plot_.font());
    }
    if (scene_.focused) {
        addBox(QRectF(plot_.rect()).adjusted(0, 0, -1, -1), QPen(theme().accent, 1), Qt::NoBrush);
    }
}

}  // namespace

QFont chartFont(const QFont& base) {
    QFont font = base;
    font.setPointSizeF(std::max(6.0, font.pointSizeF() * 0.92));
    return font;
}

void setAnnotations(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame) {
    plot.clearItems();
    Annotator(plot, scene, frame).annotate();
}

}  // namespace highwater::widgets
