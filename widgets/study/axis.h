#pragma once

#include <vector>

/// Axes that need not begin at 0.
namespace highwater::widgets {

struct AxisSpan {
    double from = 0, to = 1;
};

/// The span with some room added at both ends, but not below 0.
AxisSpan widened(AxisSpan span);
/// Round values within a span (at 1, 2 or 5 times a power of ten), at most about `most`.
std::vector<double> roundTicks(AxisSpan span, int most);
/// The same for bytes: round in the unit that suits the largest of them.
std::vector<double> byteTicks(AxisSpan span, int most);

}  // namespace highwater::widgets
