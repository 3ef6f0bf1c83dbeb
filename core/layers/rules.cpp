#include "core/layers/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/layers/axis_size.h"

namespace highwater::stack {

using base::Error;
using base::Result;

std::string_view axisName(int dims, int axis) {
    constexpr std::array<std::string_view, 3> names = {"depth", "height", "width"};
    return dims == 1 ? "length" : names[static_cast<std::size_t>(3 - dims + axis)];
}

std::optional<Error> outside(std::string_view key, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) {
        return std::nullopt;
    }
    return Error{fmt::format("{} must be from {} to {}, not {}", key, low, high, value)};
}

Result<PerAxis> perAxis(const Sizes& sizes, int dims, std::string_view key, std::int64_t low,
                        std::int64_t high) {
    const auto count = static_cast<std::size_t>(dims);
    if (sizes.size() != 1 && sizes.size() != count) {
        return Error{fmt::format("{} has {} numbers, the input {} {}; give {}", key, sizes.size(), dims,
                                 dims == 1 ? "axis" : "axes",
                                 dims == 1 ? "one number" : fmt::format("one number or {}", dims))};
    }
    PerAxis each{};
    for (std::size_t a = 0; a < count; ++a) {
        each[a] = sizes[sizes.size() == 1 ? 0 : a];
        if (auto error = outside(key, each[a], low, high)) {
            return *error;
        }
    }
    return each;
}

std::optional<Error> checkPaddingMode(PaddingMode mode, std::int64_t padding, std::int64_t size,
                                      std::string_view axis) {
    if (canPad(mode, padding, size)) {
        return std::nullopt;
    }
    const bool reflect = mode == PaddingMode::Reflect;
    return Error{fmt::format("{} padding {} does not fit an input of {} along {}; at most {}",
                             reflect ? "reflect" : "circular", padding, size, axis,
                             reflect ? size - 1 : size)};
}

std::optional<Error> checkProbability(double p) {
    if (p >= 0 && p <= 1) {
        return std::nullopt;
    }
    return Error{fmt::format("p must be from 0 to 1, not {}", p)};
}

std::optional<Error> checkStatistics(const Shape& input, std::int64_t perChannel, std::string_view over) {
    if (perChannel != 1 || !allAre(Sizes(input.begin() + 2, input.end()), 1)) {
        return std::nullopt;
    }
    return Error{
        fmt::format("has one value per channel to normalize over ({}); at least 2 are needed", over)};
}

std::vector<bool> reducedAxes(const Sizes& dim, std::size_t axes) {
    std::vector<bool> reduced(axes, false);
    for (const std::int64_t given : dim) {
        const std::int64_t axis = given < 0 ? given + static_cast<std::int64_t>(axes) : given;
        if (axis < 1 || axis >= static_cast<std::int64_t>(axes) || reduced[static_cast<std::size_t>(axis)]) {
            return {};
        }
        reduced[static_cast<std::size_t>(axis)] = true;
    }
    return dim.empty() ? std::vector<bool>() : reduced;
}

Result<std::int64_t> weightCount(std::initializer_list<std::int64_t> factors, const Sizes& kernel, int dims) {
    std::optional<std::int64_t> count = 1;
    const auto times = [&](std::int64_t factor) { count = count ? base::checkedMul(*count, factor) : count; };
    for (const std::int64_t factor : factors) {
        times(factor);
    }
    for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a) {
        times(along(kernel, a));
    }
    if (!count || *count > kMostTensorBytes / 8) {
        return Error{"the weights alone would take more than 512 TiB; lower the channels or the kernel"};
    }
    return *count;
}

Result<base::Bytes> tensorBytes(const Shape& shape, base::Bytes element, std::string_view what) {
    std::optional<base::Bytes> bytes = element;
    for (const std::int64_t size : shape) {
        bytes = bytes ? base::checkedMul(*bytes, size) : bytes;
    }
    if (!bytes || *bytes > kMostTensorBytes) {
        return Error{fmt::format("{} of {} would take more than {}", what, base::formatShape(shape),
                                 base::formatBytes(kMostTensorBytes))};
    }
    return *bytes;
}

}  // namespace highwater::stack
