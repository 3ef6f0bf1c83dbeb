#include "core/predict/axes/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/text.h"
#include "core/predict/predict.h"
#include "core/stack/limits.h"

namespace highwater::predict {

namespace {

using base::Error;
using stack::Experiment;

constexpr std::string_view kNames[] = {"depth", "height", "width"};

/// The spatial sizes, one per axis: a scan's patch, or a synthetic shape without its channels.
std::span<std::int64_t> spatial(Experiment& experiment) {
    if (auto* scan = std::get_if<stack::ScanInput>(&experiment.input)) {
        if (scan->patch.size() == 1) {
            scan->patch.assign(3, scan->patch[0]);
        }
        return scan->patch;
    }
    auto& shape = std::get<stack::SyntheticInput>(experiment.input).shape;
    return std::span(shape).subspan(std::min<std::size_t>(1, shape.size()));
}

stack::Sizes spatial(const Experiment& experiment) {
    if (const auto* scan = std::get_if<stack::ScanInput>(&experiment.input)) {
        return scan->patch.size() == 1 ? stack::Sizes(3, scan->patch[0]) : scan->patch;
    }
    const auto& shape = std::get<stack::SyntheticInput>(experiment.input).shape;
    return {shape.begin() + (shape.empty() ? 0 : 1), shape.end()};
}

/// Returns the index of an axis among `count` spatial sizes, -1 if it is not there. The names are aligned at
/// the last axis.
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
    const std::size_t count = std::min<std::size_t>(3, spatial(experiment).size());
    std::vector<std::string> axes(std::end(kNames) - count, std::end(kNames));
    axes.emplace_back("batch_size");
    return axes;
}

std::int64_t axisSize(const Experiment& experiment, std::string_view axis) {
    if (axis == "batch_size") {
        return experiment.step.batchSize;
    }
    const auto sizes = spatial(experiment);
    return sizes[static_cast<std::size_t>(std::max(0, indexOf(axis, sizes.size())))];
}

base::Status setAxis(Experiment& experiment, std::string_view axis, std::int64_t value) {
    const std::size_t count = spatial(std::as_const(experiment)).size();
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
    const auto sizes = spatial(experiment);
    if (axis != "patch") {
        sizes[static_cast<std::size_t>(index)] = value;
        return {};
    }
    const std::int64_t first = std::max<std::int64_t>(1, sizes[0]);
    for (std::int64_t& size : sizes) {
        size = scaled(size, value, first);
    }
    return {};
}

base::Result<Experiment> withAxis(const Experiment& experiment, std::string_view axis, std::int64_t value) {
    Experiment changed = experiment;
    if (const auto status = setAxis(changed, axis, value); !status) {
        return status.error();
    }
    return changed;
}

}  // namespace highwater::predict
