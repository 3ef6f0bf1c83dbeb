#include "core/predict/axes/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/shapes.h"

namespace highwater::predict {

namespace {

using base::Error;
using stack::Experiment;

constexpr std::string_view kNames[] = {"depth", "height", "width"};

/// The index of an axis among `count` spatial sizes; names are aligned at the last one. -1: not found.
int indexOf(std::string_view axis, std::size_t count) {
    if (axis == "length") {
        return count == 1 ? 0 : -1;
    }
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), axis);
    if (found == std::end(kNames)) {
        return -1;
    }
    return static_cast<int>(found - std::begin(kNames)) - 3 + static_cast<int>(count);
}

std::int64_t scaled(std::int64_t size, std::int64_t value, std::int64_t first) {
    const double exact = static_cast<double>(size) * static_cast<double>(value) / static_cast<double>(first);
    return std::clamp(std::llround(exact), 1LL, static_cast<long long>(stack::kMostSize));
}

}  // namespace

std::vector<std::string> axesOf(const Experiment& experiment) {
    const std::size_t count = std::min<std::size_t>(3, stack::patchOf(experiment).size());
    std::vector<std::string> axes(std::end(kNames) - count, std::end(kNames));
    axes.emplace_back("batch_size");
    return axes;
}

std::int64_t axisSize(const Experiment& experiment, std::string_view axis) {
    if (axis == "batch_size") {
        return experiment.step.batchSize;
    }
    const auto sizes = stack::patchOf(experiment);
    return sizes[static_cast<std::size_t>(std::max(0, indexOf(axis, sizes.size())))];
}

base::Status setAxis(Experiment& experiment, std::string_view axis, std::int64_t value) {
    stack::Sizes sizes = stack::patchOf(experiment);
    const std::size_t count = sizes.size();
    const int index = axis == "patch" ? 0 : indexOf(axis, count);
    if (axis != "batch_size" && (count == 0 || count > 3 || index < 0)) {
        return Error{fmt::format("the input has no axis \"{}\"; it has {} and patch", base::oneLine(axis, 40),
                                 fmt::join(axesOf(experiment), ", "))};
    }
    if (value < 1 || value > stack::kMostSize) {
        return Error{fmt::format("{}: a size is from 1 to {}, not {}", axis, stack::kMostSize, value)};
    }
    if (axis == "batch_size") {
        experiment.step.batchSize = value;
        return {};
    }
    if (axis == "patch") {
        const std::int64_t first = std::max<std::int64_t>(1, sizes[0]);
        for (std::int64_t& size : sizes) {
            size = scaled(size, value, first);
        }
    } else {
        sizes[static_cast<std::size_t>(index)] = value;
    }
    stack::setPatch(experiment, sizes);
    return {};
}

base::Result<Experiment> withAxis(const Experiment& experiment, std::string_view axis, std::int64_t value) {
    Experiment changed = experiment;
    HIGHWATER_TRY(setAxis(changed, axis, value));
    return changed;
}

}  // namespace highwater::predict
