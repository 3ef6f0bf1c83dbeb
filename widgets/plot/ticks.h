#pragma once

#include <string>
#include <vector>

/// Where an axis has its ticks, and how they read. No Qt, no locale: the decimal sign is always a point.
namespace highwater::widgets {

struct Tick {
    double at = 0;
    std::string label;
};

struct Ticks {
    std::vector<Tick> ticks;
    std::string unit;
    double step = 0;  ///< distance of two ticks, in the axis's own measure (bytes, ms, steps)
};

/// Bytes from 0 to `upper`: ticks at a power of two times the unit (B to EiB), at most `most` intervals
/// (at least 1). The labels carry no unit, it is said once: "0", "0.5", "1", "1.5" and unit "GiB".
Ticks binaryTicks(double upper, int most);

/// Milliseconds within [from, to], at 1, 2 or 5 times a power of ten; in seconds or minutes where ms would be
/// long. The labels carry no unit.
Ticks timeTicks(double from, double to, int most);

/// Whole numbers within [from, to], none below `least`, at 1, 2 or 5 times a power of ten; `least` itself is
/// one of them when it is in sight.
Ticks stepTicks(double from, double to, int most, double least = 1);

}  // namespace highwater::widgets
