#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/report/charts.h"
#include "core/report/ticks.h"

namespace highwater::report {

/// Sizes shared by all charts, in pixels.
inline constexpr double kLeft = 52, kRight = 14, kTop = 34, kAxis = 24, kLegendRow = 22;

struct LegendEntry {
    std::string text;
    Rgb color = 0;
};

/// A time as it can be drawn: 0 where it is no number or below 0.
inline double usableTime(double ms) {
    return std::isfinite(ms) && ms > 0 ? ms : 0;
}

/// Grid lines with their labels at the left, the unit above them.
void drawYAxis(Canvas& canvas, const PlotArea& area, const Ticks& ticks);
/// Draws labels under the plot; the last one has the unit. Labels that would touch are left out.
void drawXAxis(Canvas& canvas, const PlotArea& area, const Ticks& ticks);
/// Where the x axis is of steps, numbered from 1: a line after `warmup` of them, and their name. None for 0.
void drawWarmup(Canvas& canvas, const PlotArea& area, int warmup);
/// Draws squares with names in rows from `y` down; wraps at `width`.
void drawLegend(Canvas& canvas, double x, double y, double width, std::span<const LegendEntry> entries);
/// The most rows that drawLegend needs, estimated from the texts' lengths.
int legendRows(std::span<const LegendEntry> entries, double width);
/// Draws one muted line of text in the middle of an empty chart.
void drawEmpty(Canvas& canvas, double width, double height, const std::string& text);

}  // namespace highwater::report
