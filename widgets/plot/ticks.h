#pragma once

#include <string>
#include <vector>

/// Where an axis has its ticks, and their labels. Uses neither Qt nor a locale: the decimal separator is
/// always a point.
namespace highwater::widgets {

struct Tick {
    double at = 0;
    std::string label;
};

struct Ticks {
    std::vector<Tick> ticks;
    std::string unit;
    /// Distance between two ticks, in the unit of the axis (bytes, ms, steps); 0 if they are not equally
    /// spaced.
    double step = 0;
};

/// A range of a linear or logarithmic axis. `from` is below `to`, and above 0 if the axis is logarithmic.
struct AxisSpan {
    double from = 0, to = 1;
    bool log = false;

    /// The position of a value on the axis: 0 at `from`, 1 at `to`. On a logarithmic axis, a value of 0 or
    /// less has a large negative position.
    double part(double value) const;
    /// The value at a position.
    double at(double part) const;
    /// The range that is `factor` times narrower; the value at `part` keeps its position.
    AxisSpan zoomed(double part, double factor) const;
    /// The range that begins at position `parts` and ends at position 1 + `parts`.
    AxisSpan moved(double parts) const;
    bool operator==(const AxisSpan&) const = default;
};

/// The number of intervals for a vertical axis of this height in pixels: one for each `apart` pixels and at
/// least `least`, as long as the labels fit.
int ticksIn(double height, double apart, int least);

/// The quantity on an axis. It decides how ticks are rounded and labeled.
enum class Measure { Number, Bytes, Millis };

/// Ticks within the span, with about `most` intervals (at least 1). On a logarithmic axis they are powers of
/// two for bytes, each label with its own unit, and otherwise powers of ten or 1, 2 and 5 times those. If
/// fewer than two of them are in the span, the ticks are those of a linear axis.
Ticks axisTicks(const AxisSpan& span, Measure measure, int most);

/// Ticks for numbers within [from, to], at a distance of 1, 2 or 5 times a power of ten. There are at most
/// `most` intervals (at least 1).
Ticks roundTicks(double from, double to, int most);

/// Ticks for bytes from 0 (or `from`) to `upper`. Their distance is a power of two times a unit (B to EiB),
/// and there are at most `most` intervals (at least 1). The labels have no unit; `unit` gives it once: "0",
/// "0.5", "1", "1.5" and unit "GiB".
Ticks binaryTicks(double upper, int most);
Ticks binaryTicks(double from, double upper, int most);

/// Ticks for milliseconds within [from, to], at a distance of 1, 2 or 5 times a power of ten. They are in
/// seconds or minutes if milliseconds would be long. The labels have no unit.
Ticks timeTicks(double from, double to, int most);

/// Ticks at whole numbers within [from, to], none below `least`, at a distance of 1, 2 or 5 times a power of
/// ten. `least` itself has a tick if it is in view.
Ticks stepTicks(double from, double to, int most, double least = 1);

}  // namespace highwater::widgets
