#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <array>
#include <memory>
#include <vector>

#include "widgets/plot/plot_values.h"
#include "widgets/plot/ticks.h"

/// The contents of a chart as plain values. They are already thinned to the number of pixels, and in the
/// units of the axes.
namespace highwater::widgets {

inline constexpr int kMaxSeries = memory::kCategoryCount;

struct SeriesStyle {
    QString name;
    QColor color;
    QString meaning;     ///< one sentence, for a tooltip
    bool line = false;   ///< drawn as an outline instead of an area
    bool dotted = true;  ///< an outline only: dotted instead of solid
    int over = 0;        ///< an outline only: as Outline::over
    double weight = 0;   ///< how much of it is to be seen: a legend without room leaves out the least
};

/// The stacked values over the range [from, to) of the x axis. tops[i] is where series i ends, measured from
/// 0, so it never decreases with i. The last series' top is the total.
struct Column {
    double from = 0, to = 0;
    std::array<double, kMaxSeries> tops{};
    bool faded = false;
};

/// A horizontal line across the chart. `outside`: the value lies above the y axis, so only the label is
/// shown.
struct LevelLine {
    double at = 0;
    QString label;
    QColor color;
    bool dashed = true;
    bool outside = false;
};

/// An upright line through the chart, named at its top. Where names would lie on one another the later one
/// goes a row down; it is left out where no row is free.
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

/// The color of the band from an outline's low to its high values.
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
    int over = 0;  ///< on so many others it lies; it is then dashed, so that all of them are seen
};

/// A value with its interval [low, high]: along y for points, along x for bars. There is no interval if `low`
/// equals `high`.
struct DataPoint {
    double x = 0, y = 0, low = 0, high = 0;
    int id = -1;  ///< given to hover and click; -1 if the pointer does not find the point
};

/// Values in one color, as circles, as empty rings or as horizontal bars from `base` to x.
struct DataSeries {
    enum class Kind { Points, Rings, Bars };
    Kind kind = Kind::Points;
    std::vector<DataPoint> points;  ///< ascending in x; those of bars ascending in y
    QColor color;
    QColor whisker = {};  ///< of the intervals; if it is invalid, they have `color`
    double size = 9;      ///< diameter of a circle or thickness of a bar, in logical pixels
    double base = 0;      ///< where bars begin
};

/// A text at a fixed place of the chart's widget.
struct Caption {
    QRectF box;  ///< in the widget's logical pixels; the text is aligned in it, but not cut
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
    double above = 0;  ///< Refused: what was asked for on top of y
};

struct ChartScene {
    enum class Kind { Areas, Bars };
    Kind kind = Kind::Areas;
    QString hint;                     ///< the text to show if there is nothing to draw
    std::vector<SeriesStyle> series;  ///< bottom first, at most kMaxSeries
    std::vector<Column> columns;
    std::vector<LevelLine> lines;
    std::vector<UprightLine> uprights;
    std::vector<Region> regions;
    std::vector<double> separators;
    std::vector<RegionLabel> labels;
    std::vector<Marker> markers;
    std::vector<Outline> outlines;
    std::vector<DataSeries> data;                          ///< the last one lies on top
    std::vector<Tile> tiles;                               ///< beneath outlines and data
    std::vector<std::shared_ptr<const LineField>> fields;  ///< beneath outlines and data, the last one on top
    std::vector<Caption> captions;
    double from = 0, to = 1;          ///< range of the x axis
    double lower = 0, upper = 1;      ///< range of the y axis
    bool logX = false, logY = false;  ///< whether an axis is logarithmic; its range is then above 0
    Ticks x, y;
    bool gridX = false;    ///< there are lines at the ticks of the x axis too
    bool framed = false;   ///< the axes have a border and a background of their own
    bool focused = false;  ///< the widget has a border that shows the keyboard focus

    AxisSpan spanX() const { return {from, to, logX}; }
    AxisSpan spanY() const { return {lower, upper, logY}; }
};

/// Height above the chart in logical pixels: for the unit of the axis and, in area charts, for the phases'
/// names and their strip.
constexpr int headRoom(ChartScene::Kind kind) {
    return kind == ChartScene::Kind::Areas ? 26 : 24;
}

/// Where the chart's axes lie on the widget.
struct PlotFrame {
    QRectF rect;
    AxisSpan x, y;

    double pixelX(double value) const { return rect.left() + x.part(value) * rect.width(); }
    /// The lower end of the axis is the lowest row of pixels, as in QCustomPlot.
    double pixelY(double value) const { return rect.bottom() - 1 - y.part(value) * rect.height(); }
    double valueX(double px) const { return x.at((px - rect.left()) / rect.width()); }
};

/// The contents of the card beside the crosshair: what the pointer is over.
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
