#include "core/layers/window_sizes.h"

#include <fmt/format.h>

#include <numeric>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;

namespace {

constexpr std::size_t kVolumeAxes = 3;

}  // namespace

std::int64_t cappedProduct(std::int64_t a, std::int64_t b) {
    return a > kMostTensorBytes / b ? kMostTensorBytes : a * b;
}

std::int64_t placesOf(const Sizes& window) {
    return std::accumulate(window.begin(), window.end(), std::int64_t{1}, cappedProduct);
}

std::int64_t distancesOf(const Sizes& window) {
    return std::accumulate(
        window.begin(), window.end(), std::int64_t{1},
        [](std::int64_t all, std::int64_t size) { return cappedProduct(all, 2 * size - 1); });
}

std::optional<Error> checkWindow(std::string_view key, const Sizes& sizes, std::int64_t low,
                                 std::size_t axes) {
    if (sizes.size() != axes) {
        return Error{fmt::format("{} has {}; give {}", key, base::counted(std::ssize(sizes), "number"),
                                 axes == 0 || axes > kVolumeAxes ? "1 to 3" : std::to_string(axes))};
    }
    for (const std::int64_t size : sizes) {
        if (auto error = outside(key, size, low, kMostSize)) {
            return error;
        }
    }
    return std::nullopt;
}

std::size_t axesOfWindow(const Sizes& window) {
    return window.empty() || window.size() > kVolumeAxes ? kVolumeAxes : window.size();
}

}  // namespace highwater::stack
