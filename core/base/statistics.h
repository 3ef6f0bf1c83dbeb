#pragma once

#include <cstdint>
#include <span>

namespace highwater::base {

/// A median with its 95 % interval. n is the number of values; all zero when there was none.
struct Interval {
    double median = 0;
    double low = 0;
    double high = 0;
    int n = 0;
    bool operator==(const Interval&) const = default;
};

/// The middle value, or the mean of the middle two; 0 for none.
double median(std::span<const double> values);

/// Median with a percentile bootstrap interval (2,000 resamples, fixed seed, so that the same values always
/// give the same interval; Efron & Tibshirani 1993, ch. 13). With fewer than 3 values the interval is [min,
/// max].
Interval medianWithInterval(std::span<const double> values, std::uint64_t seed = 1);

}  // namespace highwater::base
