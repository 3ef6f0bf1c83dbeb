#include "core/base/statistics.h"

#include <algorithm>
#include <numeric>
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

std::vector<std::size_t> paretoFront(std::span<const Point> points) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) {
        return points[l].x != points[r].x ? points[l].x < points[r].x : points[l].y < points[r].y;
    });
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        const Point* const last = front.empty() ? nullptr : &points[front.back()];
        if (!last || points[i].y < last->y || (points[i].x == last->x && points[i].y == last->y)) {
            front.push_back(i);
        }
    }
    return front;
}

}  // namespace highwater::base
