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
    double step = 0;  ///< distance of two ticks, in the axis's own measure (bytes, ms, steps); 0: logarithmic
};

/// A stretch of an axis, linear or logarithmic. `from` lies below `to`, and above 0 where it is logarithmic.
struct AxisSpan {
    double from = 0, to = 1;
    bool log = false;

    /// Where a value lies: 0 at `from`, 1 at `to`; a value of 0 or less lies far below a logarithmic axis.
    double part(double value) const;
    /// The value at such a place.
    double at(double part) const;
    /// `factor` times narrower about the place `part`; moved up by `parts` of itself.
    AxisSpan zoomed(double part, double factor) const;
    AxisSpan moved(double parts) const;
    bool operator==(const AxisSpan&) const = default;
};

/// What an axis measures: how its ticks are rounded and how they read.
enum class Measure { Number, Bytes, Millis };

/// Ticks within the span, with about `most` (at least 1) intervals. On a logarithmic axis they are powers of
/// two (bytes, each with its own unit) or 1, 2 or 5 times powers of ten; where fewer than two of those are in
/// sight, the linear axis's.
Ticks axisTicks(const AxisSpan& span, Measure measure, int most);

/// Numbers within [from, to], at 1, 2 or 5 times a power of ten, at most `most` intervals (at least 1).
Ticks roundTicks(double from, double to, int most);

/// Bytes from 0 (or `from`) to `upper`: ticks at a power of two times the unit (B to EiB), at most `most`
/// intervals (at least 1). The labels carry no unit, it is said once: "0", "0.5", "1", "1.5" and unit "GiB".
Ticks binaryTicks(double upper, int most);
Ticks binaryTicks(double from, double upper, int most);

/// Milliseconds within [from, to], at 1, 2 or 5 times a power of ten; in seconds or minutes where ms would be
/// long. The labels carry no unit.
Ticks timeTicks(double from, double to, int most);

/// Whole numbers within [from, to], none below `least`, at 1, 2 or 5 times a power of ten; `least` itself is
/// one of them when it is in sight.
Ticks stepTicks(double from, double to, int most, double least = 1);

}  // namespace highwater::widgets
