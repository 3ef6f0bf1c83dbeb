#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "core/base/text.h"
#include "core/stack/layer_rules.h"
#include "core/stack/limits.h"

/// The rules of tensor_layers.h.
namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

std::optional<Error> checkAxes(std::string_view key, std::size_t axes) {
    if (axes >= 2 && axes <= static_cast<std::size_t>(kMostAxes)) {
        return std::nullopt;
    }
    return Error{fmt::format("{} has {}; give 2 to {}", key,
                             base::counted(static_cast<std::int64_t>(axes), "number"), kMostAxes)};
}

}  // namespace

Result<LayerRule> reshapeRule(const Reshape& op, const Shape& input) {
    if (auto error = checkAxes("shape", op.shape.size())) {
        return *error;
    }
    if (op.shape.front() != -1) {
        return Error{"shape must begin with -1: the batch, times what the other sizes leave"};
    }
    const auto elements = tensorBytes(input, 1, "an input");
    if (!elements) {
        return elements.error();
    }
    std::int64_t rest = 1;
    for (std::size_t i = 1; i < op.shape.size(); ++i) {
        if (auto error = outside("shape: each size after the first", op.shape[i], 1, kMostSize)) {
            return *error;
        }
        rest = std::min(rest * op.shape[i], *elements + 1);
        if (*elements % rest != 0) {
            return Error{fmt::format("shape {} does not divide the {} of its input {}",
                                     base::formatShape(std::span(op.shape).subspan(1)),
                                     base::counted(*elements, "value"), base::formatShape(input))};
        }
    }
    Shape output = op.shape;
    output.front() = *elements / rest;
    return LayerRule{std::move(output), 0};
}

Result<LayerRule> permuteRule(const Permute& op, const Shape& input) {
    Sizes sorted = op.dims;
    std::sort(sorted.begin(), sorted.end());
    bool each = sorted.size() == input.size() && !op.dims.empty() && op.dims.front() == 0;
    for (std::size_t i = 0; each && i < sorted.size(); ++i) {
        each = sorted[i] == static_cast<std::int64_t>(i);
    }
    if (!each) {
        return Error{fmt::format(
            "dims must hold each axis of the input {} once, from 0 to {}, and begin with 0, the batch",
            base::formatShape(input), input.size() - 1)};
    }
    Shape output;
    for (const std::int64_t from : op.dims) {
        output.push_back(input[static_cast<std::size_t>(from)]);
    }
    return LayerRule{std::move(output), 0};
}

Result<LayerRule> selectRule(const Select& op, const Shape& input) {
    const int axes = static_cast<int>(input.size()), dim = op.dim < 0 ? op.dim + axes : op.dim;
    if (dim < 1 || dim >= axes || axes < 3) {
        return Error{fmt::format("dim {} of the input {} cannot be taken away; give an axis from 1 to {}",
                                 op.dim, base::formatShape(input), axes - 1)};
    }
    const auto at = static_cast<std::size_t>(dim);
    if (auto error = outside("index", op.index, 0, input[at] - 1)) {
        return *error;
    }
    Shape output = input;
    output.erase(output.begin() + dim);
    return LayerRule{std::move(output), 0};
}

Result<LayerRule> sliceRule(const Slice& op, const Shape& input) {
    const int axes = static_cast<int>(input.size()), dim = op.dim < 0 ? op.dim + axes : op.dim;
    if (dim < 1 || dim >= axes) {
        return Error{fmt::format("dim {} of the input {} cannot be cut; give an axis from 1 to {}", op.dim,
                                 base::formatShape(input), axes - 1)};
    }
    const std::int64_t size = input[static_cast<std::size_t>(dim)];
    if (auto error = outside("step", op.step, 1, kMostSize)) {
        return *error;
    }
    if (op.start < 0 || op.start >= op.end || op.end > size) {
        return Error{
            fmt::format("start {} and end {} must lie within the {} of axis {}, the end behind the start",
                        op.start, op.end, base::counted(size, "place"), dim)};
    }
    Shape output = input;
    output[static_cast<std::size_t>(dim)] = (op.end - op.start + op.step - 1) / op.step;
    return LayerRule{std::move(output), 0};
}

Result<LayerRule> rollRule(const Roll& op, const Shape& input) {
    const bool paired = !op.dims.empty() && op.dims.size() == op.shifts.size();
    if (!paired || op.dims.size() > static_cast<std::size_t>(kMostAxes)) {
        return Error{fmt::format("shifts has {} and dims {}; give one shift for each axis",
                                 base::counted(std::ssize(op.shifts), "number"), std::ssize(op.dims))};
    }
    for (const std::int64_t dim : op.dims) {
        if (auto error = outside("dims: each axis", dim, 1, std::ssize(input) - 1)) {
            return *error;
        }
    }
    return LayerRule{input, 0};
}

namespace {

constexpr std::size_t kVolumeAxes = 3;

/// Of numbers from 1 to kMostTensorBytes; at most kMostTensorBytes.
std::int64_t times(std::int64_t a, std::int64_t b) {
    return a > kMostTensorBytes / b ? kMostTensorBytes : a * b;
}

/// Checks the sizes of windows, and of what has as many.
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

}  // namespace

std::int64_t placesOf(const Sizes& window) {
    return std::accumulate(window.begin(), window.end(), std::int64_t{1}, times);
}

std::int64_t distancesOf(const Sizes& window) {
    return std::accumulate(window.begin(), window.end(), std::int64_t{1},
                           [](std::int64_t all, std::int64_t size) { return times(all, 2 * size - 1); });
}

Result<LayerRule> relativePositionBiasRule(const RelativePositionBias& op) {
    if (auto error = checkWindow("window_size", op.windowSize, 1, axesOfWindow(op.windowSize))) {
        return *error;
    }
    const std::int64_t whole = placesOf(op.windowSize);
    if (auto error = outside("places", op.places, 0, whole)) {
        return *error;
    }
    if (auto error = outside("num_heads", op.numHeads, 1, kMostSize)) {
        return *error;
    }
    const std::int64_t places = op.places == 0 ? whole : op.places;
    if (const auto index = tensorBytes({whole, whole}, sizeof(std::int64_t), "an index"); !index) {
        return index.error();
    }
    const auto table = weightCount({op.numHeads, distancesOf(op.windowSize)}, {}, 0);
    if (!table) {
        return table.error();
    }
    return LayerRule{{1, op.numHeads, places, places}, *table};
}

Result<LayerRule> windowMaskRule(const WindowMask& op) {
    const std::size_t axes = axesOfWindow(op.windowSize);
    for (const auto& error :
         {checkWindow("window_size", op.windowSize, 1, axes), checkWindow("size", op.size, 1, axes),
          checkWindow("shift_size", op.shiftSize, 0, axes)}) {
        if (error) {
            return *error;
        }
    }
    std::int64_t windows = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::int64_t size = op.size[axis], window = op.windowSize[axis], shift = op.shiftSize[axis];
        if (size % window != 0 || shift >= window) {
            return Error{fmt::format(
                "a size of {} with windows of {} shifted by {} cannot be; the size must be a multiple of the "
                "window, and the shift less than it",
                size, window, shift)};
        }
        windows = times(windows, size / window);
    }
    const std::int64_t places = placesOf(op.windowSize);
    Shape output{1, windows, 1, places, places};
    if (const auto bytes = tensorBytes(output, sizeof(float), "the mask"); !bytes) {
        return bytes.error();
    }
    return LayerRule{std::move(output), 0};
}

namespace {

Result<LayerRule> classTokenRule(const Learned& op, const Shape& input) {
    constexpr std::size_t kAxes = 3;
    const bool fits = input.size() == kAxes && op.shape.size() == kAxes && op.shape[0] == 1 &&
                      op.shape[1] >= 1 && op.shape[1] <= kMostSize && op.shape[2] == input[2];
    if (!fits) {
        return Error{
            fmt::format("shape {} does not fit its input {}; an input has samples, places and "
                        "features, and shape is 1, the number of tokens and the input's features",
                        base::formatShape(op.shape), base::formatShape(input))};
    }
    const auto count = weightCount({}, op.shape, static_cast<int>(op.shape.size()));
    if (!count) {
        return count.error();
    }
    return LayerRule{{input[0], op.shape[1] + input[1], input[2]}, *count};
}

}  // namespace

Result<LayerRule> learnedRule(const Learned& op, const Shape& input) {
    if (op.kind == Learned::Kind::ClassToken) {
        return classTokenRule(op, input);
    }
    bool fits = !op.shape.empty() && op.shape.size() <= input.size();
    for (std::size_t i = 1; fits && i <= op.shape.size(); ++i) {
        const std::int64_t size = op.shape[op.shape.size() - i];
        fits = size == 1 || (size == input[input.size() - i] && i < input.size());
    }
    if (!fits) {
        return Error{fmt::format(
            "shape {} does not fit its input {}; from the end, each size must be the input's or 1, and 1 "
            "for the batch",
            base::formatShape(op.shape), base::formatShape(input))};
    }
    const auto count = weightCount({}, op.shape, static_cast<int>(op.shape.size()));
    return count ? Result<LayerRule>(LayerRule{input, *count}) : count.error();
}

Result<LayerRule> stochasticDepthRule(const StochasticDepth& op, const Shape& input) {
    if (!(op.p >= 0 && op.p <= 1)) {
        return Error{fmt::format("p must be from 0 to 1, not {}", op.p)};
    }
    return LayerRule{input, 0};
}

Result<Shape> matmulShape(const Shape& left, const Shape& right, const std::string& where) {
    const std::size_t axes = left.size();
    const bool fits = axes >= 3 && right.size() == axes &&
                      std::equal(left.begin(), left.end() - 2, right.begin()) &&
                      left[axes - 1] == right[axes - 2];
    if (!fits) {
        return Error{
            fmt::format("multiplies {} by the {} of {}; all sizes but the last two must be equal, and the "
                        "last of one the "
                        "second to last of the other",
                        base::formatShape(left), base::formatShape(right), where)};
    }
    Shape output = left;
    output.back() = right.back();
    return output;
}

Result<Shape> attentionShape(const Shape& queries, const Shape& keys, const Shape& values) {
    const std::size_t axes = queries.size();
    const auto batchOf = [axes](const Shape& of) {
        return of.size() == axes ? Shape(of.begin(), of.end() - 2) : Shape();
    };
    const bool fits = axes >= 3 && batchOf(keys) == batchOf(queries) && batchOf(values) == batchOf(queries) &&
                      keys.back() == queries.back() && values[axes - 2] == keys[axes - 2];
    if (!fits) {
        return Error{fmt::format(
            "cannot compare the queries {} with the keys {} and take the values {}; all sizes but "
            "the last two must be equal, those of queries and keys in the last one, and those of "
            "keys and values in the one before",
            base::formatShape(queries), base::formatShape(keys), base::formatShape(values))};
    }
    Shape output = queries;
    output.back() = values.back();
    return output;
}

}  // namespace highwater::stack
