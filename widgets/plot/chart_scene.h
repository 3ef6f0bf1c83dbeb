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

/// A value with the ends of its interval, along y for points and along x for bars; both ends at the value:
/// no interval.
struct DataPoint {
    double x = 0, y = 0, low = 0, high = 0;
    int id = -1;  ///< what the pointer finds there; -1: nothing
};

/// Values in one colour. Bars lie along x, from `base` to x.
struct DataSeries {
    enum class Kind { Points, Rings, Bars };
    Kind kind = Kind::Points;
    std::vector<DataPoint> points;  ///< ascending in x (bars: in y)
    QColor color;
    QColor whisker = {};  ///< of the intervals; invalid: as `color`
    double size = 9;      ///< points on the screen: of a circle across, of a bar from edge to edge
    double base = 0;      ///< of bars
};

/// A text at a place of the chart's widget.
struct Caption {
    QRectF box;
    Qt::Alignment alignment;
    QString text;
    QColor color;
    bool small = true;
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
    std::vector<DataSeries> data;  ///< the last one on top
    std::vector<Caption> captions;
    double from = 0, to = 1;          ///< what the x axis shows
    double lower = 0, upper = 1;      ///< what the y axis shows; from above 0 where it is logarithmic
    bool logX = false, logY = false;  ///< logarithmic axes
    Ticks x, y;
    bool gridX = false;   ///< lines at the x axis's ticks too
    bool framed = false;  ///< a border round the axes, their inside as a field
    bool focused = false;

    AxisSpan spanX() const { return {from, to, logX}; }
    AxisSpan spanY() const { return {lower, upper, logY}; }
};

/// Points above the chart for the axis's unit and, over areas, the phases' names and their strip.
constexpr int headRoom(ChartScene::Kind kind) {
    return kind == ChartScene::Kind::Areas ? 26 : 24;
}

/// Where the chart's axes lie on the widget.
struct PlotFrame {
    QRectF rect;
    AxisSpan x, y;

    double pixelX(double value) const { return rect.left() + x.part(value) * rect.width(); }
    double pixelY(double value) const { return rect.bottom() - y.part(value) * rect.height(); }
    double valueX(double px) const { return x.at((px - rect.left()) / rect.width()); }
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
