#include "core/base/statistics.h"

#include <algorithm>
#include <random>
#include <vector>

namespace highwater::base {

namespace {

double medianInPlace(std::vector<double>& values) {
    const std::size_t half = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
    const double upper = values[half];
    if (values.size() % 2 == 1) {
        return upper;
    }
    return (*std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half)) + upper) /
           2;
}

}  // namespace

double median(std::span<const double> values) {
    if (values.empty()) {
        return 0;
    }
    std::vector<double> copy(values.begin(), values.end());
    return medianInPlace(copy);
}

Interval medianWithInterval(std::span<const double> values, std::uint64_t seed) {
    if (values.empty()) {
        return {};
    }
    const int n = static_cast<int>(values.size());
    if (n < 3) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        return {median(values), *low, *high, n};
    }
    constexpr std::size_t resamples = 2000;
    std::mt19937_64 random(seed);
    std::vector<double> medians(resamples), sample(values.size());
    for (double& m : medians) {
        for (double& s : sample) {
            s = values[random() % values.size()];
        }
        m = medianInPlace(sample);
    }
    std::sort(medians.begin(), medians.end());
    return {median(values), medians[resamples / 40], medians[resamples - 1 - resamples / 40], n};
}

std::optional<double> timeLeft(std::span<const double> newest, int done, int of) {
    return newest.empty() || of < done ? std::nullopt : std::optional(median(newest) * (of - done));
}

}  // namespace highwater::base
