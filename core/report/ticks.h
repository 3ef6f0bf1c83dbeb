#pragma once

#include <string>
#include <vector>

namespace highwater::report {

struct Tick {
    double at = 0;  ///< in the data's unit
    std::string label;
};

struct Ticks {
    std::vector<Tick> ticks;
    std::string unit;  ///< "GiB", "MiB", "ms", "s"; empty for plain numbers
    double top = 1;    ///< the last tick
    double bottom = 0;
};

/// Ticks from 0 to at least `most` bytes in steps of 1, 2 or 5 times a power of ten of B, KiB, MiB, GiB or
/// TiB; about `wanted` steps. `most` below 1 counts as 1.
Ticks byteTicks(double most, int wanted = 5);
/// The same for milliseconds (ms, or s from 10 s on).
Ticks timeTicks(double mostMs, int wanted = 5);
/// Ticks around [low, high], plain numbers.
Ticks numberTicks(double low, double high, int wanted = 5);
/// Ticks at steps in [first, last], numbered from the first after `warmup` of them: it as "step 1", then
/// multiples of 1, 2 or 5 times a power of ten. Steps of the warm-up have none, unless there are no others.
Ticks countTicks(int first, int last, int wanted = 8, int warmup = 0);

}  // namespace highwater::report
