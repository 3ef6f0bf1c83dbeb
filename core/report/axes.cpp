#include "core/report/axes.h"

#include <algorithm>
#include <limits>

namespace highwater::report {
namespace {

constexpr double kEntryGap = 16, kSwatch = 10, kSwatchGap = 6;

}  // namespace

void drawYAxis(Canvas& canvas, const PlotArea& area, const Ticks& ticks) {
    const Palette& colors = canvas.palette();
    const TextStyle style{.color = colors.muted, .size = 11.5, .anchor = Anchor::End};
    for (const Tick& tick : ticks.ticks) {
        const double y = area.yOf(tick.at);
        canvas.line({area.left, y}, {area.left + area.width, y}, colors.grid, 0.75);
        canvas.text({area.left - 7, y + 4}, tick.label, style);
    }
    canvas.text({area.left - 7, area.top - 14}, ticks.unit, style);
}

void drawXAxis(Canvas& canvas, const PlotArea& area, const Ticks& ticks) {
    const double y = area.top + area.height + 17;
    TextStyle style{.color = canvas.palette().muted, .size = 11.5, .anchor = Anchor::Middle};
    double free = -std::numeric_limits<double>::infinity();
    const double rightmost = area.left + area.width + kRight - 2;
    for (std::size_t i = 0; i < ticks.ticks.size(); ++i) {
        const Tick& tick = ticks.ticks[i];
        if (tick.at < area.xLow - 1e-9 || tick.at > area.xHigh + 1e-9) {
            continue;
        }
        const std::string text = i == 0 && !ticks.unit.empty() ? tick.label + " " + ticks.unit : tick.label;
        const double half = canvas.textWidth(text, style) / 2;
        const double x = std::min(area.xOf(tick.at), rightmost - half);
        if (x - half < free) {
            continue;
        }
        canvas.text({x, y}, text, style);
        free = x + half + 8;
    }
}

void drawWarmup(Canvas& canvas, const PlotArea& area, int warmup) {
    if (warmup <= 0) {
        return;
    }
    const double to = area.xOf(std::min(area.xHigh, warmup + 0.5));
    canvas.line({to, area.top - 5}, {to, area.top + area.height}, canvas.palette().muted, 0.75, true);
    canvas.text({area.left, area.top - 14}, "warm-up", {.color = canvas.palette().muted, .size = 11.5});
}

void drawLegend(Canvas& canvas, double x, double y, double width, std::span<const LegendEntry> entries) {
    const TextStyle style{.color = canvas.palette().muted, .size = 12, .mostWidth = width - 40};
    double at = x;
    for (const LegendEntry& entry : entries) {
        const double needs = kSwatch + kSwatchGap + canvas.textWidth(entry.text, style);
        if (at > x && at + needs > x + width) {
            at = x;
            y += kLegendRow;
        }
        canvas.rectangle(at, y - 9, kSwatch, kSwatch, entry.color);
        canvas.text({at + kSwatch + kSwatchGap, y}, entry.text, style);
        at += needs + kEntryGap;
    }
}

int legendRows(std::span<const LegendEntry> entries, double width) {
    int rows = 1;
    double at = 0;
    for (const LegendEntry& entry : entries) {
        const double needs = kSwatch + kSwatchGap + 8.0 * static_cast<double>(entry.text.size());
        if (at > 0 && at + needs > width) {
            ++rows;
            at = 0;
        }
        at += needs + kEntryGap;
    }
    return rows;
}

void drawEmpty(Canvas& canvas, double width, double height, const std::string& text) {
    canvas.text(
        {width / 2, height / 2}, text,
        {.color = canvas.palette().muted, .size = 13, .anchor = Anchor::Middle, .mostWidth = width - 20});
}

}  // namespace highwater::report
