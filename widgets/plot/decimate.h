#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Thinning of series to what the pixels can show. No Qt.
namespace highwater::widgets {

/// Indices, ascending, of the points worth drawing of the step-wise series y over the ascending positions x,
/// where [from, to] is `pixels` wide: in each pixel the first, the last, the lowest and the highest point, so
/// at most 4 a pixel and no extreme is lost. The last point at or before `from` and the first one after `to`
/// come along, so that lines reach the edges. Everything in sight is returned where it is at most 2 points a
/// pixel. Not finite values of y are skipped. Empty for an empty series, no pixels or an empty range.
std::vector<std::size_t> decimateMinMax(std::span<const double> x, std::span<const double> y, double from,
                                        double to, int pixels);

/// How many steps share a bar so that each bar is at least `leastPixels` wide: a power of two, at least 1. (A
/// power of two keeps the bars' borders in place while the run grows.)
long long stepsPerBar(double visibleSteps, int pixels, double leastPixels = 3.0);

}  // namespace highwater::widgets
