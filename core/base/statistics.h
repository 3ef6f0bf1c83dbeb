#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace highwater::base {

/// A median with its 95 % interval. `n` is the number of values; all fields are 0 if there were no values.
struct Interval {
    double median = 0;
    double low = 0;
    double high = 0;
    int n = 0;
    bool operator==(const Interval&) const = default;
};

/// Returns the middle value, or the mean of the two middle ones. Returns 0 if there are no values.
double median(std::span<const double> values);

/// Returns the median with a percentile bootstrap interval (2,000 resamples; Efron & Tibshirani 1993, ch.
/// 13). The seed is fixed, so the same values always give the same interval. With fewer than 3 values the
/// interval is [min, max].
Interval medianWithInterval(std::span<const double> values, std::uint64_t seed = 1);

/// The time left until the last of `of` steps, in the unit of `newest`: the median time of the newest steps
/// for each remaining step. std::nullopt without a time.
std::optional<double> timeLeft(std::span<const double> newest, int done, int of);

}  // namespace highwater::base
