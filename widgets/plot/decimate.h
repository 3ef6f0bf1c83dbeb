#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Thins series to what the pixels can show. Uses no Qt.
namespace highwater::widgets {

/// Returns the indices, ascending, of the points worth drawing of the stepwise series y over the ascending
/// positions x, where [from, to] is `pixels` wide. For each pixel these are the first, the last, the lowest
/// and the highest point: at most 4 per pixel, and no extreme is lost. The last point at or before `from` and
/// the first one after `to` are included, so that lines reach the edges. If there are at most 2 points per
/// pixel, all points in view are returned. Values of y that are not finite are skipped. Returns an empty list
/// if the series, the width or the range is empty.
std::vector<std::size_t> decimateMinMax(std::span<const double> x, std::span<const double> y, double from,
                                        double to, int pixels);

/// Returns the number of steps per bar such that each bar is at least `leastPixels` wide: a power of two, at
/// least 1. (With powers of two, the edges of the bars stay in place while the run grows.)
long long stepsPerBar(double visibleSteps, int pixels, double leastPixels = 3.0);

}  // namespace highwater::widgets
