#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <array>
#include <memory>
#include <vector>

#include "widgets/plot/plot_values.h"
#include "widgets/plot/ticks.h"

/// The contents of a chart as plain values, already thinned to the number of pixels and in the units of the
/// axes.
namespace highwater::widgets {

inline constexpr int kMaxSeries = memory::kCategoryCount;

struct SeriesStyle {
    QString name;
    QColor color;
    QString meaning;     ///< one sentence, for a tooltip
    bool line = false;   ///< drawn as an outline instead of an area
    bool dotted = true;  ///< an outline only: dotted instead of solid
    int over = 0;        ///< an outline only: as Outline::over
    double weight = 0;   ///< importance: a legend without enough room drops the entries of the lowest weight
};

/// The stacked values over the range [from, to) of the x axis. tops[i] is where series i ends, measured from
/// 0, so it never decreases with i. The last series' top is the total.
struct Column {
    double from = 0, to = 0;
    std::array<double, kMaxSeries> tops{};
    bool faded = false;
};

/// A horizontal line across the chart. `outside`: the value is above the y axis, so only the label is shown.
struct LevelLine {
    double at = 0;
    QString label;
    QColor color;
    bool dashed = true;
    bool outside = false;
};

/// A vertical line through the chart with its name at the top. If names would overlap, the later one moves
/// down a row; it is left out if no row is free.
struct UprightLine {
    double at = 0;
    QString label;
    QColor color;
    bool dashed = true;
};

/// A range of the x axis, drawn as a colored strip above the chart.
struct Region {
    double from = 0, to = 0;
    QColor color;
};

struct RegionLabel {
    double from = 0, to = 0;
    QString text;
};

/// A value with its uncertainty band. In a stepwise outline it holds until the next point.
struct OutlinePoint {
    double x = 0, low = 0, y = 0, high = 0;
};

/// The color of the band between an outline's low and high values.
inline QColor bandColor(QColor line) {
    line.setAlphaF(0.13F);
    return line;
}

/// A line over the chart, with its uncertainty band.
struct Outline {
    std::vector<OutlinePoint> points;  ///< ascending in x
    double end = 0;                    ///< stepwise only: where the last value ends
    bool stepwise = true;
    bool dotted = true;
    QColor color;
    int over = 0;  ///< number of lines that it covers; it is dashed then, so that all remain visible
};

/// A value with its interval [low, high]: along y for points, along x for bars. There is no interval if `low`
/// equals `high`.
struct DataPoint {
    double x = 0, y = 0, low = 0, high = 0;
    int id = -1;  ///< passed to hover and click; -1: not selectable
};

/// Values in one color, as circles, as empty rings or as horizontal bars from `base` to x.
struct DataSeries {
    enum class Kind { Points, Rings, Bars };
    Kind kind = Kind::Points;
    std::vector<DataPoint> points;  ///< ascending in x; those of bars ascending in y
    QColor color;
    QColor whisker = {};  ///< color of the intervals; if invalid, `color` is used
    double size = 9;      ///< diameter of a circle or thickness of a bar, in logical pixels
    double base = 0;      ///< where the bars start
};

/// A text at a fixed place of the chart's widget.
struct Caption {
    QRectF box;  ///< in the widget's logical pixels; the text is aligned in it, but not clipped
    Qt::Alignment alignment;
    QString text;
    QColor color;
    bool small = true;
};

/// A rectangle of one color, in the units of the axes.
struct Tile {
    QRectF box;
    QColor color;
    bool hatched = false;
};

class LineField;

enum class MarkerKind { Peak, Now, Refused, Clipped, Jump };

struct Marker {
    MarkerKind kind = MarkerKind::Peak;
    double x = 0, y = 0;
    QString label;
    double above = 0;  ///< Refused: the requested size, on top of y
};

struct ChartScene {
    enum class Kind { Areas, Bars };
    Kind kind = Kind::Areas;
    QString hint;                     ///< the text shown if there is nothing to draw
    std::vector<SeriesStyle> series;  ///< bottom first, at most kMaxSeries
    std::vector<Column> columns;
    std::vector<LevelLine> lines;
    std::vector<UprightLine> uprights;
    std::vector<Region> regions;
    std::vector<double> separators;
    std::vector<RegionLabel> labels;
    std::vector<Marker> markers;
    std::vector<Outline> outlines;
    std::vector<DataSeries> data;                          ///< the last one is drawn on top
    std::vector<Tile> tiles;                               ///< drawn below outlines and data
    std::vector<std::shared_ptr<const LineField>> fields;  ///< below outlines and data, the last one on top
    std::vector<Caption> captions;
    double from = 0, to = 1;          ///< range of the x axis
    double lower = 0, upper = 1;      ///< range of the y axis
    bool logX = false, logY = false;  ///< whether an axis is logarithmic; its range must then be positive
    Ticks x, y;
    bool gridX = false;    ///< grid lines at the ticks of the x axis too
    bool framed = false;   ///< the axes have their own border and background
    bool focused = false;  ///< the widget has a border that shows keyboard focus

    AxisSpan spanX() const { return {from, to, logX}; }
    AxisSpan spanY() const { return {lower, upper, logY}; }
};

/// Height above the chart in logical pixels: for the unit of the axis and, in area charts, for the phase
/// strip and its names.
constexpr int headRoom(ChartScene::Kind kind) {
    return kind == ChartScene::Kind::Areas ? 26 : 24;
}

/// Where the chart's axes are on the widget.
struct PlotFrame {
    QRectF rect;
    AxisSpan x, y;

    double pixelX(double value) const { return rect.left() + x.part(value) * rect.width(); }
    /// The lower end of the axis is on the lowest row of pixels, as in QCustomPlot.
    double pixelY(double value) const { return rect.bottom() - 1 - y.part(value) * rect.height(); }
    double valueX(double px) const { return x.at((px - rect.left()) / rect.width()); }
};

/// The contents of the card beside the crosshair, describing what is under the pointer.
struct HoverCard {
    struct Row {
        QColor color;  ///< invalid: no swatch
        QString name;
        QString value;
    };
    QString title;
    QString note;  ///< a second, muted line; may be empty
    std::vector<Row> rows;
    double x = 0;  ///< position of the crosshair on the x axis
    bool empty() const { return title.isEmpty(); }
};

}  // namespace highwater::widgets
