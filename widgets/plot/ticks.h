#pragma once

#include <string>
#include <vector>

/// Where an axis has its ticks, and their labels. Uses neither Qt nor a locale: the decimal sign is always a
/// point.
namespace highwater::widgets {

struct Tick {
    double at = 0;
    std::string label;
};

struct Ticks {
    std::vector<Tick> ticks;
    std::string unit;
    double step = 0;  ///< distance between two ticks, in the unit of the axis (bytes, ms, steps)
};

/// Ticks for bytes from 0 to `upper`. Their distance is a power of two times a unit (B to EiB), and there are
/// at most `most` intervals (at least 1). The labels have no unit; `unit` gives it once: "0", "0.5", "1",
/// "1.5" and unit "GiB".
Ticks binaryTicks(double upper, int most);

/// Ticks for milliseconds within [from, to], at a distance of 1, 2 or 5 times a power of ten. They are in
/// seconds or minutes if milliseconds would be long. The labels have no unit.
Ticks timeTicks(double from, double to, int most);

/// Ticks at whole numbers within [from, to], none below `least`, at a distance of 1, 2 or 5 times a power of
/// ten. `least` itself has a tick if it is in view.
Ticks stepTicks(double from, double to, int most, double least = 1);

}  // namespace highwater::widgets
