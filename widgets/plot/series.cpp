#include "widgets/plot/series.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kBeyond =
    8;  ///< pixels beyond the axes that a cut line goes on for, so that it has no end there

/// A dotted line as squares with a rim, so that it reads over any band. A dashed pen looks the same and takes
/// several milliseconds.
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

AxisSpan beyond(const AxisSpan& span, double pixels) {
    const double part = kBeyond / std::max(1.0, pixels);
    return {span.at(-part), span.at(1 + part), span.log};
}

double into(double value, const AxisSpan& span) {
    return std::isnan(value) ? span.from : std::clamp(value, span.from, span.to);
}

/// Between two points, where a line passes x.
OutlinePoint between(const OutlinePoint& a, const OutlinePoint& b, double x) {
    const double part = (x - a.x) / (b.x - a.x);
    const auto mix = [part](double from, double to) { return from + part * (to - from); };
    return {x, mix(a.low, b.low), mix(a.y, b.y), mix(a.high, b.high)};
}

/// The outline's corners within the span: one more where its last value ends, and none that lies outside.
std::vector<OutlinePoint> cornersWithin(const Outline& outline, const AxisSpan& x) {
    std::vector<OutlinePoint> all = outline.points, kept;
    if (outline.stepwise && !all.empty()) {
        all.push_back(all.back());
        all.back().x = std::max(outline.end, all.back().x);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool before = i + 1 < all.size() && all[i].x < x.from && all[i + 1].x >= x.from;
        const bool after = i > 0 && all[i].x > x.to && all[i - 1].x <= x.to;
        if (before || after) {
            const OutlinePoint& first = all[after ? i - 1 : i];
            const OutlinePoint& second = all[after ? i : i + 1];
            OutlinePoint cut = outline.stepwise ? first : between(first, second, before ? x.from : x.to);
            cut.x = before ? x.from : x.to;
            kept.push_back(cut);
        } else if (all[i].x >= x.from && all[i].x <= x.to) {
            kept.push_back(all[i]);
        }
    }
    return kept;
}

QCPGraph* addGraph(QCustomPlot& plot, const std::vector<OutlinePoint>& corners, const AxisSpan& y,
                   const Outline& outline, double OutlinePoint::* value, bool dotted) {
    auto* graph = dotted ? new DottedGraph(plot.xAxis, plot.yAxis) : new QCPGraph(plot.xAxis, plot.yAxis);
    QVector<double> keys, values;
    for (const OutlinePoint& corner : corners) {
        keys << corner.x;
        values << into(corner.*value, y);
    }
    graph->setData(keys, values, true);
    graph->setLineStyle(outline.stepwise ? QCPGraph::lsStepLeft : QCPGraph::lsLine);
    graph->setPen(Qt::NoPen);
    return graph;
}

void addOutline(QCustomPlot& plot, const Outline& outline, const PlotFrame& f) {
    const std::vector<OutlinePoint> corners = cornersWithin(outline, beyond(f.x, f.rect.width()));
    const AxisSpan y = beyond(f.y, f.rect.height());
    const bool banded =
        std::any_of(corners.begin(), corners.end(), [](const OutlinePoint& p) { return p.low != p.high; });
    if (banded) {
        QColor fill = outline.color;
        fill.setAlphaF(0.13F);
        QCPGraph* low = addGraph(plot, corners, y, outline, &OutlinePoint::low, false);
        QCPGraph* high = addGraph(plot, corners, y, outline, &OutlinePoint::high, false);
        high->setBrush(fill);
        high->setChannelFillGraph(low);
    }
    QCPGraph* line = addGraph(plot, corners, y, outline, &OutlinePoint::y, outline.dotted);
    line->setPen(outlinePen(outline.color, outline.dotted));
}

/// The points and bars whose middle is in sight, cut where they leave it.
std::vector<DataPoint> pointsWithin(const DataSeries& series, const PlotFrame& f) {
    const bool bars = series.kind == DataSeries::Kind::Bars;
    const AxisSpan room = bars ? beyond(f.x, f.rect.width()) : beyond(f.y, f.rect.height());
    std::vector<DataPoint> kept;
    for (DataPoint point : series.points) {
        const double x = f.x.part(point.x), y = f.y.part(point.y);
        if ((bars || (x >= 0 && x <= 1)) && y >= 0 && y <= 1) {
            point.x = bars ? into(point.x, room) : point.x;
            point.low = into(point.low, room);
            point.high = into(point.high, room);
            kept.push_back(point);
        }
    }
    return kept;
}

/// Whiskers of what `data` shows; made before it, so that they lie beneath it, or after.
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
    QCPErrorBars* whiskers = ring ? nullptr : addWhiskers(plot.xAxis, plot.yAxis, series, points);
    auto* graph = new QCPGraph(plot.xAxis, plot.yAxis);
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                           QPen(ring ? series.color : theme().panel, 1.5),
                                           ring ? QBrush(Qt::NoBrush) : QBrush(series.color), series.size));
    for (const DataPoint& point : points) {
        graph->addData(point.x, point.y);
    }
    if (whiskers != nullptr) {
        whiskers->setDataPlottable(graph);
    }
}

void addBars(QCustomPlot& plot, const DataSeries& series, const PlotFrame& f) {
    const std::vector<DataPoint> points = pointsWithin(series, f);
    const double base = into(series.base, beyond(f.x, f.rect.width()));
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

QPen outlinePen(const QColor& color, bool dotted) {
    QPen pen(color, dotted ? 1.6 : 2, Qt::SolidLine, dotted ? Qt::FlatCap : Qt::RoundCap, Qt::RoundJoin);
    if (dotted) {
        pen.setDashPattern({1.2, 1.2});
    }
    return pen;
}

void setSeries(QCustomPlot& plot, const ChartScene& scene, const PlotFrame& frame) {
    while (plot.plottableCount() > 1) {
        plot.removePlottable(plot.plottableCount() - 1);
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
