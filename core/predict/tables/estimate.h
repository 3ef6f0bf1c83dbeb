#pragma once

#include "core/base/units.h"

namespace highwater::predict {

/// Bytes with an interval that is believed to contain the true value in 95 of 100 cases. low <= expected <=
/// high. All three are equal if the value follows from rules or was measured.
struct Estimate {
    base::Bytes low = 0, expected = 0, high = 0;
    bool exact() const { return low == high; }
    static Estimate of(base::Bytes bytes) { return {bytes, bytes, bytes}; }
    Estimate& operator+=(const Estimate& o) {
        low += o.low, expected += o.expected, high += o.high;
        return *this;
    }
    friend Estimate operator+(Estimate a, const Estimate& b) { return a += b; }
    bool operator==(const Estimate&) const = default;
};

/// The same for milliseconds.
struct TimeEstimate {
    base::Millis low = 0, expected = 0, high = 0;
    TimeEstimate& operator+=(const TimeEstimate& o) {
        low += o.low, expected += o.expected, high += o.high;
        return *this;
    }
    bool operator==(const TimeEstimate&) const = default;
};

}  // namespace highwater::predict
