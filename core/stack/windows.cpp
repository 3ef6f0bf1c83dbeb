#include "core/stack/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::stack {

namespace {

constexpr float kLeastWeight = 1e-3F;

double stepOf(std::int64_t size, double overlap) {
    return std::max(1.0, std::floor(static_cast<double>(size) * (1 - overlap)));
}

}  // namespace

base::Result<Sizes> windowSize(const Windows& windows, const Shape& data) {
    const std::size_t dims = data.size() - 2;
    if (windows.size.size() != 1 && windows.size.size() != dims) {
        return base::Error{fmt::format("windows: size has {} numbers for {}d data; give one, or one an axis",
                                       windows.size.size(), dims)};
    }
    Sizes size(dims);
    for (std::size_t axis = 0; axis < dims; ++axis) {
        const std::int64_t wanted = windows.size[windows.size.size() == 1 ? 0 : axis];
        if (wanted < 1) {
            return base::Error{fmt::format("windows: size must be at least 1, not {}", wanted)};
        }
        size[axis] = std::min(wanted, data[axis + 2]);
    }
    return size;
}

std::vector<std::int64_t> windowStarts(std::int64_t length, std::int64_t size, double overlap) {
    const std::int64_t way = length - size;
    if (way <= 0) {
        return {0};
    }
    const auto steps = static_cast<std::int64_t>(std::ceil(static_cast<double>(way) / stepOf(size, overlap)));
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i <= steps; ++i) {
        starts.push_back((2 * i * way + steps) / (2 * steps));  // rounded
    }
    return starts;
}

std::int64_t WindowGrid::count() const {
    std::int64_t all = 1;
    for (const Sizes& axis : starts) {
        all *= static_cast<std::int64_t>(axis.size());
    }
    return all;
}

Sizes WindowGrid::corner(std::int64_t window) const {
    Sizes place(starts.size());
    for (std::size_t axis = starts.size(); axis-- > 0;) {
        const auto along = static_cast<std::int64_t>(starts[axis].size());
        place[axis] = starts[axis][static_cast<std::size_t>(window % along)];
        window /= along;
    }
    return place;
}

base::Result<WindowGrid> windowGrid(const Windows& windows, const Shape& data) {
    if (!(windows.overlap >= 0 && windows.overlap <= 0.9)) {
        return base::Error{fmt::format("windows: overlap must be from 0 to 0.9, not {}", windows.overlap)};
    }
    auto size = HIGHWATER_TRY(windowSize(windows, data));
    WindowGrid grid{std::move(size), {}};
    double count = 1;
    for (std::size_t axis = 0; axis < grid.size.size(); ++axis) {
        const std::int64_t length = data[axis + 2], window = grid.size[axis];
        const double step = stepOf(window, windows.overlap);
        count *= std::ceil(static_cast<double>(length - window) / step) + 1;
        if (count > static_cast<double>(kMostWindows)) {
            return base::Error{fmt::format(
                "windows: more than {} windows are needed; make them larger or their overlap smaller",
                kMostWindows)};
        }
        grid.starts.push_back(windowStarts(length, window, windows.overlap));
    }
    return grid;
}

std::vector<float> windowWeights(Windows::Blend blend, std::int64_t size) {
    std::vector<float> weights(static_cast<std::size_t>(size), 1.0F);
    if (blend == Windows::Blend::Constant) {
        return weights;
    }
    const double sigma = static_cast<double>(size) / 8, middle = static_cast<double>(size - 1) / 2;
    double highest = 0;
    for (std::int64_t i = 0; i < size; ++i) {
        highest = std::max(highest, std::exp(-0.5 * std::pow((static_cast<double>(i) - middle) / sigma, 2)));
    }
    for (std::int64_t i = 0; i < size; ++i) {
        const double value = std::exp(-0.5 * std::pow((static_cast<double>(i) - middle) / sigma, 2));
        weights[static_cast<std::size_t>(i)] = std::max(kLeastWeight, static_cast<float>(value / highest));
    }
    return weights;
}

}  // namespace highwater::stack
