#include "core/report/scatter_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/report/axes.h"

namespace highwater::report {
namespace {

constexpr double kScatterHeight = 340, kScatterLeft = 74, kNameRow = 20;
constexpr double kReach = 0.5;  ///< of the dots' range: how far from them the limit is still drawn

struct Span1 {
    double low = 0, high = 0;
    void take(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

struct Axes {
    PlotArea area;
    Ticks x, y;
};

/// Ticks in the unit in which the largest value is written.
Ticks scaledTicks(const Span1& span, double base, const std::vector<std::string>& units, int wanted) {
    double scale = 1;
    std::size_t unit = 0;
    for (; unit + 1 < units.size() && span.high >= scale * base; ++unit) {
        scale *= base;
    }
    Ticks ticks = numberTicks(span.low / scale, span.high / scale, wanted);
    for (Tick& tick : ticks.ticks) {
        tick.at *= scale;
    }
    ticks.bottom *= scale;
    ticks.top *= scale;
    ticks.unit = units[unit];
    return ticks;
}

Span1 widened(Span1 span) {
    const double room = std::max((span.high - span.low) * 0.08, std::abs(span.high) * 0.01);
    return {span.low - room, span.high + room};
}

Axes axesOf(const Scatter& scatter) {
    const Scatter::Dot& first = scatter.dots.front();
    Span1 x{first.bytes, first.bytes}, y{first.y, first.y};
    for (const Scatter::Dot& dot : scatter.dots) {
        x.take(dot.bytes);
        y.take(dot.y);
        if (dot.low < dot.high) {
            y.take(dot.low);
            y.take(dot.high);
        }
    }
    const double reach = std::max((x.high - x.low) * kReach, 0.05 * x.high);
    if (scatter.limit > x.low - reach && scatter.limit < x.high + reach) {
        x.take(scatter.limit);
    }
    x = widened(x);
    x.low = std::max(x.low, 0.0);
    y = widened(y);
    if (scatter.unit == "ms") {
        y.low = std::max(y.low, 0.0);
    }
    Axes axes;
    axes.x = scaledTicks(x, 1024, {"B", "KiB", "MiB", "GiB", "TiB"}, 8);
    axes.y = scatter.unit == "ms" ? scaledTicks(y, 10'000, {"ms"}, 5) : numberTicks(y.low, y.high, 5);
    axes.y.unit = scatter.unit;
    axes.area = {.left = kScatterLeft, .top = kTop, .width = kFullWidth - kScatterLeft - kRight};
    axes.area.height = kScatterHeight - kTop - kAxis - kNameRow - kLegendRow;
    axes.area.xLow = axes.x.bottom;
    axes.area.xHigh = axes.x.top;
    axes.area.yLow = axes.y.bottom;
    axes.area.yHigh = axes.y.top;
    return axes;
}

Rgb colorOf(Scatter::Kind kind, const Palette& colors) {
    return kind == Scatter::Kind::Plain  ? colors.muted
           : kind == Scatter::Kind::Best ? colors.good
                                         : colors.accent;
}

void drawLimit(Canvas& canvas, const Scatter& scatter, const PlotArea& area) {
    if (scatter.limit <= area.xLow || scatter.limit >= area.xHigh) {
        return;
    }
    const double x = area.xOf(scatter.limit);
    canvas.line({x, area.top}, {x, area.top + area.height}, canvas.palette().bad, 1.25, true);
    const TextStyle style{.color = canvas.palette().bad, .size = 12};
    const double width = canvas.textWidth(scatter.limitName, style);
    const bool left = x + width + 8 > area.left + area.width;
    canvas.text({left ? x - 6 - width : x + 6, area.top + 12}, scatter.limitName, style);
}

void drawDots(Canvas& canvas, const Scatter& scatter, const PlotArea& area) {
    const Palette& colors = canvas.palette();
    std::vector<Point> line;
    for (std::size_t i = 0; i < std::min(scatter.joined, scatter.dots.size()); ++i) {
        line.push_back({area.xOf(scatter.dots[i].bytes), area.yOf(scatter.dots[i].y)});
    }
    if (line.size() > 1) {
        canvas.polyline(line, colors.muted, 1);
    }
    for (const Scatter::Dot& dot : scatter.dots) {
        const double x = area.xOf(dot.bytes), y = area.yOf(dot.y);
        const Rgb color = colorOf(dot.kind, colors);
        if (dot.low < dot.high) {
            canvas.line({x, area.yOf(dot.low)}, {x, area.yOf(dot.high)}, color, 1.25);
        }
        canvas.circle({x, y}, dot.kind == Scatter::Kind::Chosen ? 6 : 4, color, colors.paper);
        const TextStyle style{.color = colors.text, .size = 11.5};
        const double width = canvas.textWidth(dot.label, style);
        const bool left = x + 10 + width > area.left + area.width;
        canvas.text({left ? x - 10 - width : x + 10, y - 6}, dot.label, style);
    }
}

}  // namespace

Chart scatterChart(Scatter scatter) {
    std::erase_if(scatter.dots, [](const Scatter::Dot& dot) {
        return !std::isfinite(dot.bytes) || !std::isfinite(dot.y) || dot.bytes <= 0;
    });
    Chart chart{scatter.title, kFullWidth, kScatterHeight, {}};
    if (scatter.dots.empty()) {
        chart.height = 80;
        chart.draw = [](Canvas& c) { drawEmpty(c, kFullWidth, 80, "Nothing to draw."); };
        return chart;
    }
    chart.draw = [scatter = std::move(scatter)](Canvas& canvas) {
        const Axes axes = axesOf(scatter);
        const PlotArea& area = axes.area;
        drawYAxis(canvas, area, axes.y);
        drawXAxis(canvas, area, axes.x);
        const TextStyle name{.color = canvas.palette().muted, .size = 12};
        canvas.text({area.left, area.top - 14}, scatter.yName, name);
        const double below = area.top + area.height + kAxis + kNameRow - 4;
        canvas.text({area.left + area.width, below}, scatter.bytesName,
                    {.color = name.color, .size = name.size, .anchor = Anchor::End});
        drawLimit(canvas, scatter, area);
        drawDots(canvas, scatter, area);
        std::vector<LegendEntry> legend;
        for (std::size_t kind = 0; kind < scatter.legend.size(); ++kind) {
            if (!scatter.legend[kind].empty()) {
                legend.push_back(
                    {scatter.legend[kind], colorOf(static_cast<Scatter::Kind>(kind), canvas.palette())});
            }
        }
        drawLegend(canvas, area.left, below + kLegendRow - 2, area.width, legend);
    };
    return chart;
}

}  // namespace highwater::report
