#include <fmt/format.h>

#include <algorithm>
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

Result<LayerRule> learnedRule(const Learned& op, const Shape& input) {
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

}  // namespace highwater::stack
