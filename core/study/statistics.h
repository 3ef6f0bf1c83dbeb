#pragma once

#include <span>
#include <vector>

#include "core/base/statistics.h"

/// What repeats say, and how sure one may be of it. Times are milliseconds.
namespace highwater::study {

/// How many of the first values are warm-up: the truncation that makes the standard error of the rest least
/// (the Marginal Standard Error Rule: White 1997, "An effective truncation heuristic for bias reduction in
/// simulation output"), at most half of them. 0 for fewer than 4 values.
std::size_t warmUpOf(std::span<const double> values);

/// The median of ratios (all above 0) with its 95 % interval: the bootstrap's, widened where that is known to
/// cover less. With 2 to 5 ratios it holds Student's t interval of their logarithms (three ratios all lie on
/// one side of an equal pair's 1 in a quarter of all cases); with 6 or more the distribution-free interval
/// that the sign test gives (David & Nagaraja 2003, Order Statistics, section 7.1).
base::Interval ratioInterval(std::span<const double> ratios);
/// The interval does not hold 1; never from fewer than 2 ratios.
bool differsFromOne(const base::Interval& ratio);

/// A against B from repeats that took turns: the i-th values of both were measured one right after the other.
struct Paired {
    base::Interval ratio;  ///< ratioInterval of a[i] / b[i]
    bool differs = false;  ///< differsFromOne: otherwise it is within the noise
    bool operator==(const Paired&) const = default;
};
/// The longer one's rest is left out. n = 0, and no difference, where there is no pair or a value is not
/// above 0.
Paired paired(std::span<const double> a, std::span<const double> b);

/// Half the interval's width over its median; infinite where there are fewer than 3 values or no median.
double relativeHalfWidth(const base::Interval& interval);

/// Indices of the points that no other point beats in both coordinates (less is better; equals all stay),
/// by ascending x.
struct Point {
    double x = 0, y = 0;
};
std::vector<std::size_t> paretoFront(std::span<const Point> points);

}  // namespace highwater::study
