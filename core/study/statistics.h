#pragma once

#include <span>

#include "core/base/pareto.h"
#include "core/base/statistics.h"

/// Statistics over repeats, with confidence intervals. Times are milliseconds.
namespace highwater::study {

/// The number of first values that are warm-up: the truncation that minimises the standard error of the rest
/// (Marginal Standard Error Rule: White 1997, "An effective truncation heuristic for bias reduction in
/// simulation output"), at most half of them. 0 for fewer than 4 values.
std::size_t warmUpOf(std::span<const double> values);

/// The median of ratios (all above 0) with its 95 % interval: the bootstrap's, widened where that is known to
/// cover less than 95 %. With 2 to 5 ratios it contains Student's t interval of their logarithms (three
/// ratios of an equal pair are all on one side of 1 in a quarter of all cases). With 6 or more it contains
/// the distribution-free interval that the sign test gives (David & Nagaraja 2003, Order Statistics, section
/// 7.1).
base::Interval ratioInterval(std::span<const double> ratios);
/// True if the interval does not contain 1; never with fewer than 2 ratios.
bool differsFromOne(const base::Interval& ratio);

/// Compares A with B from alternating repeats: the i-th values of both were measured directly after each
/// other.
struct Paired {
    base::Interval ratio;  ///< ratioInterval of a[i] / b[i]
    bool differs = false;  ///< differsFromOne(ratio); false: within the noise
    bool operator==(const Paired&) const = default;
};
/// Extra values of the longer list are ignored. n = 0 and no difference if there is no pair or a value is not
/// above 0.
Paired paired(std::span<const double> a, std::span<const double> b);

/// Half the interval's width divided by its median; infinite if there are fewer than 3 values or no median.
double relativeHalfWidth(const base::Interval& interval);

using base::paretoFront;
using base::Point;

}  // namespace highwater::study
