#include "widgets/plot/series.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <future>

#include "widgets/plot/line_field.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kBeyond = 8;  ///< pixels outside the axes at which a clipped whisker ends

/// A dotted line drawn as squares with an outline, so that it is legible over any band. A dashed pen looks
/// the same but takes several milliseconds.
class DottedGraph : public QCPGraph {
public:
    using QCPGraph::QCPGraph;

protected:
    void drawLinePlot(QCPPainter* painter, const QVector<QPointF>& lines) const override {
        constexpr double kEvery = 3.6, kSize = 1.8, kRim = 1;
        std::vector<QRectF> dots, rims;
        double next = 0;
        for (qsizetype i = 1; i < lines.size(); ++i) {
            const QPointF from = lines[i - 1], way = lines[i] - lines[i - 1];
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
        painter->setAntialiasing(false);
        painter->setPen(Qt::NoPen);
        painter->setBrush(rim);
        painter->drawRects(rims.data(), static_cast<int>(rims.size()));
        painter->setBrush(pen().color());
        painter->drawRects(dots.data(), static_cast<int>(dots.size()));
    }
};

/// The parts of a scene below its data: lines through vertical axes, and tiles.
class Ground : public QCPAbstractPlottable {
public:
    Ground(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame)
        : QCPAbstractPlottable(plot.xAxis, plot.yAxis),
          tiles_(scene.tiles),
          fields_(scene.fields),
          frame_(frame) {}
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override { return found = false, QCPRange(); }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
        return found = false, QCPRange();
    }

protected:
    void draw(QCPPainter* painter) override {
        const bool shapes = painter->modes().testFlag(QCPPainter::pmVectorized);
        if (!shapes) {
            prepare(painter->device()->devicePixelRatioF());
        }
        for (const auto& field : fields_) {
            field->paint(*painter, frame_, shapes);
        }
        painter->setAntialiasing(false);
        painter->setPen(Qt::NoPen);
        for (const Tile& tile : tiles_) {
            const QRectF box =
                QRectF(QPointF(frame_.pixelX(tile.box.left()), frame_.pixelY(tile.box.top())),
                       QPointF(frame_.pixelX(tile.box.right()), frame_.pixelY(tile.box.bottom())))
                    .normalized()
                    .intersected(frame_.rect);
            const QRectF whole(QPointF(std::round(box.left()), std::round(box.top())),
                               QPointF(std::round(box.right()), std::round(box.bottom())));
            const double gap = std::min(whole.width(), whole.height()) >= 8 ? 1 : 0;
            painter->fillRect(whole.adjusted(0, 0, -gap, -gap), tile.color);
            if (tile.hatched) {
                QColor lines = theme().panel;
                lines.setAlphaF(0.4F);
                painter->fillRect(whole.adjusted(0, 0, -gap, -gap), QBrush(lines, Qt::BDiagPattern));
            }
        }
    }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    /// Makes the pixels of all fields in parallel: thousands of lines take milliseconds.
    void prepare(double ratio) const {
        std::vector<std::future<void>> others;
        for (std::size_t i = 1; i < fields_.size(); ++i) {
            others.push_back(
                std::async(std::launch::async, [this, i, ratio] { fields_[i]->prepare(frame_, ratio); }));
        }
        if (!fields_.empty()) {
            fields_.front()->prepare(frame_, ratio);
        }
        for (std::future<void>& other : others) {
            other.get();
        }
    }

    std::vector<Tile> tiles_;
    std::vector<std::shared_ptr<const LineField>> fields_;
    PlotFrame frame_;
};

/// Points drawn as copies of one pixmap: QPainter takes too long for thousands of circles. Vector files get
/// circles.
class StampedGraph : public QCPGraph {
public:
    using QCPGraph::QCPGraph;

protected:
    void drawScatterPlot(QCPPainter* painter, const QVector<QPointF>& points,
                         const QCPScatterStyle& style) const override {
        constexpr qsizetype kMany = 300;
        if (points.size() < kMany || painter->modes().testFlag(QCPPainter::pmVectorized)) {
            QCPGraph::drawScatterPlot(painter, points, style);
            return;
        }
        const double ratio = painter->device()->devicePixelRatioF();
        const int side = static_cast<int>(std::ceil(style.size() + 2 * style.pen().widthF())) + 2;
        QPixmap stamp(QSize(side, side) * ratio);
        stamp.setDevicePixelRatio(ratio);
        stamp.fill(Qt::transparent);
        {
            QCPPainter circle;
            circle.begin(&stamp);
            circle.setAntialiasing(true);
            style.applyTo(&circle, mPen);
            style.drawShape(&circle, side / 2.0, side / 2.0);
        }
        for (const QPointF& point : points) {
            painter->drawPixmap(
                QPointF(std::round(point.x() - side / 2.0), std::round(point.y() - side / 2.0)), stamp);
        }
    }
};

AxisSpan beyond(const AxisSpan& span, double pixels) {
    const double part = kBeyond / std::max(1.0, pixels);
    return {span.at(-part), span.at(1 + part), span.log};
}

double into(double value, const AxisSpan& span) {
    return std::isnan(value) ? span.from : std::clamp(value, span.from, span.to);
}

/// The part of a line within the unit square.
std::optional<QLineF> withinUnit(const QLineF& line) {
    double from = 0, to = 1;
    for (const auto& [start, way] : {std::pair(line.x1(), line.dx()), std::pair(line.y1(), line.dy())}) {
        if (way == 0 && (start < 0 || start > 1)) {
            return std::nullopt;
        }
        if (way != 0) {
            from = std::max(from, std::min(-start / way, (1 - start) / way));
            to = std::min(to, std::max(-start / way, (1 - start) / way));
        }
    }
    return from <= to ? std::optional(QLineF(line.pointAt(from), line.pointAt(to))) : std::nullopt;
}

/// The corners of an outline, as positions on the axes.
QPolygonF cornersOf(const Outline& outline, const PlotFrame& f, double OutlinePoint::* value) {
    QPolygonF corners;
    for (std::size_t i = 0; i < outline.points.size(); ++i) {
        const OutlinePoint& point = outline.points[i];
        corners << QPointF(f.x.part(point.x), f.y.part(point.*value));
        if (outline.stepwise) {
            const bool last = i + 1 == outline.points.size();
            const double end = last ? std::max(outline.end, point.x) : outline.points[i + 1].x;
            corners << QPointF(f.x.part(end), corners.back().y());
        }
    }
    return corners;
}

/// Adds the part within the axes, with a gap where the line leaves them.
void setCorners(QCPGraph& graph, const QPolygonF& corners, const PlotFrame& f) {
    QVector<double> keys, values;
    QPointF last;
    for (qsizetype i = 1; i < corners.size(); ++i) {
        const auto seen = withinUnit({corners[i - 1], corners[i]});
        if (!seen) {
            continue;
        }
        if (!keys.empty() && seen->p1() != last) {
            keys << keys.back();
            values << qQNaN();
        }
        if (keys.empty() || seen->p1() != last) {
            keys << f.x.at(seen->x1());
            values << f.y.at(seen->y1());
        }
        keys << f.x.at(seen->x2());
        values << f.y.at(seen->y2());
        last = seen->p2();
    }
    graph.setData(keys, values, true);
}

QCPGraph* addEdge(QCustomPlot& plot, QPolygonF corners, const PlotFrame& f) {
    for (QPointF& corner : corners) {
        corner.setY(std::clamp(corner.y(), 0.0, 1.0));
    }
    auto* edge = new QCPGraph(plot.xAxis, plot.yAxis);
    setCorners(*edge, corners, f);
    edge->setPen(Qt::NoPen);
    return edge;
}

void addOutline(QCustomPlot& plot, const Outline& outline, const PlotFrame& f) {
    if (std::any_of(outline.points.begin(), outline.points.end(),
                    [](const OutlinePoint& p) { return p.low != p.high; })) {
        const QColor fill = bandColor(outline.color);
        QCPGraph* low = addEdge(plot, cornersOf(outline, f, &OutlinePoint::low), f);
        QCPGraph* high = addEdge(plot, cornersOf(outline, f, &OutlinePoint::high), f);
        high->setBrush(fill);
        high->setChannelFillGraph(low);
    }
    auto* line =
        outline.dotted ? new DottedGraph(plot.xAxis, plot.yAxis) : new QCPGraph(plot.xAxis, plot.yAxis);
    setCorners(*line, cornersOf(outline, f, &OutlinePoint::y), f);
    line->setPen(outlinePen(outline.color, outline.dotted, outline.over));
}

/// The points and bars whose center is in view, clipped to it.
std::vector<DataPoint> pointsWithin(const DataSeries& series, const PlotFrame& f) {
    const bool bars = series.kind == DataSeries::Kind::Bars;
    const AxisSpan room = bars ? beyond(f.x, f.rect.width()) : beyond(f.y, f.rect.height());
    std::vector<DataPoint> kept;
    for (DataPoint point : series.points) {
        const double x = f.x.part(point.x), y = f.y.part(point.y);
        if ((bars || (x >= 0 && x <= 1)) && y >= 0 && y <= 1) {
            point.x = bars ? into(point.x, f.x) : point.x;
            point.low = into(point.low, room);
            point.high = into(point.high, room);
            kept.push_back(point);
        }
    }
    return kept;
}

/// Adds the whiskers of `data`. Call it before the data is added to draw them below it, or afterwards.
QCPErrorBars* addWhiskers(QCPAxis* keys, QCPAxis* values, const DataSeries& series,
                          const std::vector<DataPoint>& points) {
    auto* bars = new QCPErrorBars(keys, values);
    bars->setErrorType(QCPErrorBars::etValueError);
    bars->setWhiskerWidth(6);
    bars->setSymbolGap(0);
    bars->setPen(QPen(series.whisker.isValid() ? series.whisker : series.color, 1.3));
    for (const DataPoint& point : points) {
        const double value = series.kind == DataSeries::Kind::Bars ? point.x : point.y;
        const bool spread = point.low < point.high;
        bars->addData(spread ? value - point.low : qQNaN(), spread ? point.high - value : qQNaN());
    }
    return bars;
}

void addCircles(QCustomPlot& plot, const DataSeries& series, const PlotFrame& f) {
    const std::vector<DataPoint> points = pointsWithin(series, f);
    const bool ring = series.kind == DataSeries::Kind::Rings;
    const bool spread = std::any_of(points.begin(), points.end(),
                                    [](const DataPoint& point) { return point.low < point.high; });
    QCPErrorBars* whiskers = ring || !spread ? nullptr : addWhiskers(plot.xAxis, plot.yAxis, series, points);
    auto* graph = new StampedGraph(plot.xAxis, plot.yAxis);
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(
        QCPScatterStyle::ssCircle, QPen(ring ? series.color : theme().panel, series.size < 6 ? 0.8 : 1.5),
        ring ? QBrush(Qt::NoBrush) : QBrush(series.color), series.size));
    QVector<double> keys, values;
    for (const DataPoint& point : points) {
        keys << point.x;
        values << point.y;
    }
    graph->setData(keys, values, true);  // a scene's points ascend in x
    if (whiskers != nullptr) {
        whiskers->setDataPlottable(graph);
    }
}

void addBars(QCustomPlot& plot, const DataSeries& series, const PlotFrame& f) {
    const std::vector<DataPoint> points = pointsWithin(series, f);
    const double base = into(series.base, f.x);
    auto* bars = new QCPBars(plot.yAxis, plot.xAxis);
    bars->setWidthType(QCPBars::wtAbsolute);
    bars->setWidth(series.size);
    bars->setBaseValue(base);
    bars->setPen(Qt::NoPen);
    bars->setBrush(series.color);
    bars->setAntialiasedFill(false);
    for (const DataPoint& point : points) {
        bars->addData(point.y, point.x - base);
    }
    addWhiskers(plot.yAxis, plot.xAxis, series, points)->setDataPlottable(bars);
}

}  // namespace

QPen outlinePen(const QColor& color, bool dotted, int over) {
    QPen pen(color, dotted ? 1.6 : 2, Qt::SolidLine, dotted ? Qt::FlatCap : Qt::RoundCap, Qt::RoundJoin);
    if (dotted) {
        pen.setDashPattern({1.2, 1.2});
    } else if (over > 0) {
        // Each dashed line leaves half of the visible part of the line below it uncovered.
        constexpr double kDash = 3;
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern({kDash, kDash * ((1 << std::min(over, 3)) - 1)});
    }
    return pen;
}

void setSeries(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame) {
    while (plot.plottableCount() > 1) {
        plot.removePlottable(plot.plottableCount() - 1);
    }
    if (!scene.tiles.empty() || !scene.fields.empty()) {
        new Ground(plot, scene, frame);  // owned by the plot
    }
    for (const Outline& outline : scene.outlines) {
        addOutline(plot, outline, frame);
    }
    for (const DataSeries& series : scene.data) {
        series.kind == DataSeries::Kind::Bars ? addBars(plot, series, frame)
                                              : addCircles(plot, series, frame);
    }
}

}  // namespace highwater::widgets
