#include "core/study/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace highwater::study {

namespace {

/// The 97.5 % quantiles of Student's t for 1 to 4 degrees of freedom.
constexpr std::array<double, 4> kStudent = {12.7062, 4.3027, 3.1824, 2.7764};

struct Range {
    double low, high;
};

/// Student's t interval on the logarithms, for 2 to 5 values.
Range studentRange(std::span<const double> ratios) {
    const auto n = static_cast<double>(ratios.size());
    double mean = 0, squares = 0;
    for (const double ratio : ratios) {
        mean += std::log(ratio) / n;
    }
    for (const double ratio : ratios) {
        squares += std::pow(std::log(ratio) - mean, 2);
    }
    const double half = kStudent[ratios.size() - 2] * std::sqrt(squares / (n - 1) / n);
    return {std::exp(mean - half), std::exp(mean + half)};
}

/// The distribution-free interval of the median: from the k-th smallest to the k-th largest value, with the
/// largest k for which a sign test leaves at most 2.5 % on either side. `ratios` are ascending, 6 or more.
Range orderRange(const std::vector<double>& ratios) {
    const auto n = static_cast<double>(ratios.size());
    double below = 0;  // P(at most `rank` of n fair coins)
    std::size_t rank = 0;
    for (; rank < ratios.size() / 2; ++rank) {
        const auto k = static_cast<double>(rank);
        below += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2));
        if (below > 0.025) {
            break;
        }
    }
    return {ratios[rank - 1], ratios[ratios.size() - rank]};
}

}  // namespace

std::size_t warmUpOf(std::span<const double> values) {
    const std::size_t n = values.size();
    if (n < 4) {
        return 0;
    }
    // From the back, so that mean and squared deviations of each truncation follow from those of the next.
    double mean = 0, squares = 0, least = std::numeric_limits<double>::infinity();
    std::size_t best = 0;
    for (std::size_t i = n; i-- > 0;) {
        const auto kept = static_cast<double>(n - i);
        const double change = values[i] - mean;
        mean += change / kept;
        squares += change * (values[i] - mean);
        if (i <= n / 2 && squares / (kept * kept) <= least) {
            least = squares / (kept * kept);
            best = i;
        }
    }
    return best;
}

base::Interval ratioInterval(std::span<const double> ratios) {
    base::Interval interval = base::medianWithInterval(ratios);
    if (ratios.size() < 2) {
        return interval;
    }
    std::vector<double> sorted(ratios.begin(), ratios.end());
    std::sort(sorted.begin(), sorted.end());
    const Range sure = sorted.size() < 6 ? studentRange(sorted) : orderRange(sorted);
    interval.low = std::min(interval.low, sure.low);
    interval.high = std::max(interval.high, sure.high);
    return interval;
}

bool differsFromOne(const base::Interval& ratio) {
    return ratio.n >= 2 && (ratio.low > 1 || ratio.high < 1);
}

Paired paired(std::span<const double> a, std::span<const double> b) {
    std::vector<double> ratios(std::min(a.size(), b.size()));
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        const bool usable = a[i] > 0 && b[i] > 0 && std::isfinite(a[i]) && std::isfinite(b[i]);
        if (!usable) {
            return {};
        }
        ratios[i] = a[i] / b[i];
    }
    Paired result;
    result.ratio = ratioInterval(ratios);
    result.differs = differsFromOne(result.ratio);
    return result;
}

double relativeHalfWidth(const base::Interval& interval) {
    if (interval.n < 3 || !(interval.median > 0)) {
        return std::numeric_limits<double>::infinity();
    }
    return (interval.high - interval.low) / 2 / interval.median;
}

}  // namespace highwater::study
