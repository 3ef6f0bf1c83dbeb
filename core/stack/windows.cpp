#include "core/stack/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::stack {

namespace {

constexpr float kLeastWeight = 1e-3F;

/// All combinations of one start an axis, the last axis fastest.
std::vector<Sizes> combine(const std::vector<Sizes>& starts) {
    std::vector<Sizes> all = {{}};
    for (const Sizes& axis : starts) {
        std::vector<Sizes> longer;
        for (const Sizes& corner : all)
            for (const std::int64_t start : axis) {
                longer.push_back(corner);
                longer.back().push_back(start);
            }
        all = std::move(longer);
    }
    return all;
}

}  // namespace

base::Result<Sizes> windowSize(const Windows& windows, const Shape& data) {
    const std::size_t dims = data.size() - 2;
    if (windows.size.size() != 1 && windows.size.size() != dims)
        return base::Error{fmt::format("windows: size has {} numbers for {}d data; give one, or one an axis",
                                       windows.size.size(), dims)};
    Sizes size(dims);
    for (std::size_t axis = 0; axis < dims; ++axis) {
        const std::int64_t wanted = windows.size[windows.size.size() == 1 ? 0 : axis];
        if (wanted < 1)
            return base::Error{fmt::format("windows: size must be at least 1, not {}", wanted)};
        size[axis] = std::min(wanted, data[axis + 2]);
    }
    return size;
}

std::vector<std::int64_t> windowStarts(std::int64_t length, std::int64_t size, double overlap) {
    const std::int64_t way = length - size;
    if (way <= 0)
        return {0};
    const double step = std::max(1.0, std::floor(static_cast<double>(size) * (1 - overlap)));
    const auto steps = static_cast<std::int64_t>(std::ceil(static_cast<double>(way) / step));
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i <= steps; ++i)
        starts.push_back((2 * i * way + steps) / (2 * steps));  // rounded
    return starts;
}

base::Result<WindowGrid> windowGrid(const Windows& windows, const Shape& data) {
    auto size = windowSize(windows, data);
    if (!size)
        return size.error();
    std::vector<Sizes> starts;
    double count = 1;
    for (std::size_t axis = 0; axis < size->size(); ++axis) {
        starts.push_back(windowStarts(data[axis + 2], (*size)[axis], windows.overlap));
        count *= static_cast<double>(starts.back().size());
    }
    if (count > 1e6)
        return base::Error{
            fmt::format("windows: {:.3g} windows are needed, at most a million; make them larger or their "
                        "overlap smaller",
                        count)};
    return WindowGrid{std::move(*size), combine(starts)};
}

std::vector<float> windowWeights(Windows::Blend blend, std::int64_t size) {
    std::vector<float> weights(static_cast<std::size_t>(size), 1.0F);
    if (blend == Windows::Blend::Constant)
        return weights;
    const double sigma = static_cast<double>(size) / 8, middle = static_cast<double>(size - 1) / 2;
    double highest = 0;
    for (std::int64_t i = 0; i < size; ++i)
        highest = std::max(highest, std::exp(-0.5 * std::pow((static_cast<double>(i) - middle) / sigma, 2)));
    for (std::int64_t i = 0; i < size; ++i) {
        const double value = std::exp(-0.5 * std::pow((static_cast<double>(i) - middle) / sigma, 2));
        weights[static_cast<std::size_t>(i)] = std::max(kLeastWeight, static_cast<float>(value / highest));
    }
    return weights;
}

}  // namespace highwater::stack
