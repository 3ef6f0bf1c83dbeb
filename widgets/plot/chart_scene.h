#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <array>
#include <vector>

#include "widgets/plot/plot_values.h"
#include "widgets/plot/ticks.h"

/// One picture of a chart as values: already thinned to the pixels, in the axes' own measures.
namespace highwater::widgets {

inline constexpr int kMaxSeries = memory::kCategoryCount;

struct SeriesStyle {
    QString name;
    QColor color;
    QString meaning;     ///< one sentence, for a tooltip
    bool line = false;   ///< an outline rather than an area
    bool dotted = true;  ///< of an outline
};

/// A stack of values over [from, to): tops[i] is where series i ends, counted from 0 (so it never falls with
/// i), and tops of the last series is the total.
struct Column {
    double from = 0, to = 0;
    std::array<double, kMaxSeries> tops{};
    bool faded = false;
};

/// A horizontal line across the chart; `outside`: it lies above the axis and only its label is shown.
struct LevelLine {
    double at = 0;
    QString label;
    QColor color;
    bool dashed = true;
    bool outside = false;
};

/// A stretch of the x axis, drawn as a coloured strip above the chart.
struct Region {
    double from = 0, to = 0;
    QColor color;
};

struct RegionLabel {
    double from = 0, to = 0;
    QString text;
};

/// A value with the band that is believed to hold it; in steps it holds until the next one.
struct OutlinePoint {
    double x = 0, low = 0, y = 0, high = 0;
};

/// A line over the chart, with its band.
struct Outline {
    std::vector<OutlinePoint> points;  ///< ascending in x
    double end = 0;                    ///< stepwise: where the last value ends
    bool stepwise = true;
    bool dotted = true;
    QColor color;
};

enum class MarkerKind { Peak, Now, Refused, Clipped, Jump };

struct Marker {
    MarkerKind kind = MarkerKind::Peak;
    double x = 0, y = 0;
    QString label;
};

struct ChartScene {
    enum class Kind { Areas, Bars };
    Kind kind = Kind::Areas;
    QString hint;                     ///< where there is nothing to draw: what to show in the chart's place
    std::vector<SeriesStyle> series;  ///< bottom first, at most kMaxSeries
    std::vector<Column> columns;
    std::vector<LevelLine> lines;
    std::vector<Region> regions;
    std::vector<double> separators;
    std::vector<RegionLabel> labels;
    std::vector<Marker> markers;
    std::vector<Outline> outlines;
    double from = 0, to = 1;  ///< what the x axis shows
    double upper = 1;         ///< the y axis goes from 0 to this
    Ticks x, y;
};

/// Points above the chart for the axis's unit and, over areas, the phases' names and their strip.
constexpr int headRoom(ChartScene::Kind kind) {
    return kind == ChartScene::Kind::Areas ? 26 : 24;
}

/// Where the chart's axes lie on the widget.
struct PlotFrame {
    QRectF rect;
    double from = 0, to = 1, upper = 1;

    double pixelX(double x) const { return rect.left() + (x - from) / (to - from) * rect.width(); }
    double pixelY(double y) const { return rect.bottom() - y / upper * rect.height(); }
    double valueX(double px) const { return from + (px - rect.left()) / rect.width() * (to - from); }
};

/// What the pointer is over, shown on a card beside the crosshair.
struct HoverCard {
    struct Row {
        QColor color;  ///< invalid: no swatch
        QString name;
        QString value;
    };
    QString title;
    QString note;  ///< a second, muted line; may be empty
    std::vector<Row> rows;
    double x = 0;  ///< where the crosshair stands
    bool empty() const { return title.isEmpty(); }
};

}  // namespace highwater::widgets
