#include "core/layers/separable_conv.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<SeparableConv>::rule(const SeparableConv& op, const Shape& input, bool) {
    if (auto error = outside("out_channels", op.outChannels, 1, kMostSize)) {
        return *error;
    }
    if (auto error = outside("depth_multiplier", op.depthMultiplier, 1, kMostSize)) {
        return *error;
    }
    const std::int64_t between = input[1] * op.depthMultiplier;
    if (between > kMostSize) {
        return Error{fmt::format("depth_multiplier {} of {} input channels makes {} channels; at most {}",
                                 op.depthMultiplier, input[1], between, kMostSize)};
    }
    auto output =
        slide({op.dims, op.kernelSize, op.stride, op.dilation, op.padding, op.paddingMode}, input, between);
    if (!output) {
        return output.error();
    }
    if (const auto bytes = tensorBytes(*output, 4, "the depthwise output"); !bytes) {
        return bytes.error();
    }
    const auto depthwise = weightCount({between}, op.kernelSize, dimsOf(input));
    const auto pointwise = weightCount({between, op.outChannels}, Sizes{1}, dimsOf(input));
    if (!depthwise || !pointwise) {
        return depthwise ? pointwise.error() : depthwise.error();
    }
    (*output)[1] = op.outChannels;
    return LayerRule{std::move(*output), *depthwise + *pointwise + (op.bias ? between + op.outChannels : 0)};
}

}  // namespace highwater::stack
