#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace highwater::test {

/// How fast a quantity grows, in its unit per hour, with a 95 % interval.
struct Growth {
    double perHour = 0, low = 0, high = 0;
};

/// The median of the slopes between all pairs of samples (Theil 1950), which is robust to a single jump, and
/// its interval by Kendall's statistic (Sen 1968). `seconds` must ascend. All 0 for fewer than 4 samples. If
/// samples depend on the previous one, the true interval is wider.
inline Growth growthOf(std::span<const double> seconds, std::span<const double> values) {
    const std::size_t n = std::min(seconds.size(), values.size());
    if (n < 4) {
        return {};
    }
    std::vector<double> slopes;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
            slopes.push_back((values[j] - values[i]) / (seconds[j] - seconds[i]) * 3600);
        }
    }
    std::sort(slopes.begin(), slopes.end());
    const auto count = static_cast<double>(n);
    const double width = 1.96 * std::sqrt(count * (count - 1) * (2 * count + 5) / 18);
    const auto at = [&](double rank) {
        const double last = static_cast<double>(slopes.size() - 1);
        return slopes[static_cast<std::size_t>(std::clamp(rank, 0.0, last))];
    };
    const auto all = static_cast<double>(slopes.size());
    return {at(all / 2), at((all - width) / 2), at((all + width) / 2)};
}

}  // namespace highwater::test
