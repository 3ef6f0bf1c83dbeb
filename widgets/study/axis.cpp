#include "widgets/study/axis.h"

#include <algorithm>
#include <cmath>

#include "core/base/round_step.h"

namespace highwater::widgets {

namespace {

constexpr double kRoom = 0.08;

}  // namespace

AxisSpan widened(AxisSpan span) {
    const double room =
        span.to > span.from ? (span.to - span.from) * kRoom : std::abs(span.to) * kRoom + 1e-9;
    return {std::max(0.0, span.from - room), span.to + room};
}

std::vector<double> roundTicks(AxisSpan span, int most) {
    const double step = base::roundStep((span.to - span.from) / std::max(1, most));
    std::vector<double> ticks;
    for (double i = std::ceil(span.from / step - 1e-9); i * step <= span.to * (1 + 1e-9); ++i) {
        ticks.push_back(i == 0 ? 0 : i * step);
    }
    return ticks;
}

std::vector<double> byteTicks(AxisSpan span, int most) {
    double unit = 1;
    while (span.to / unit >= 1024) {
        unit *= 1024;
    }
    std::vector<double> ticks = roundTicks({span.from / unit, span.to / unit}, most);
    for (double& tick : ticks) {
        tick *= unit;
    }
    return ticks;
}

}  // namespace highwater::widgets
