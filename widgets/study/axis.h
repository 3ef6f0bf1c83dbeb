#pragma once

#include <vector>

/// Axes that need not begin at 0.
namespace highwater::widgets {

struct AxisSpan {
    double from = 0, to = 1;
};

/// With some room at both ends, but not below 0.
AxisSpan widened(AxisSpan span);
/// Round values (1, 2 or 5 times a power of ten) within a span, about `most` of them at most.
std::vector<double> roundTicks(AxisSpan span, int most);
/// Bytes: round in the unit in which the greatest of them reads best.
std::vector<double> byteTicks(AxisSpan span, int most);

}  // namespace highwater::widgets
