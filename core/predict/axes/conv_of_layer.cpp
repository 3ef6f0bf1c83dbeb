#include <algorithm>

#include "core/layers/axis_size.h"
#include "core/predict/axes/cliffs.h"

namespace highwater::predict {

namespace {

using stack::along;
using stack::AxisWindow;
using stack::Shape;
using stack::Sizes;

ConvKey start(const Shape& input, std::int64_t outChannels, const stack::Step& step) {
    ConvKey key;
    key.dims = static_cast<int>(input.size()) - 2;
    key.batch = input[0];
    key.inChannels = input[1];
    key.outChannels = outChannels;
    std::copy(input.begin() + 2, input.end(), key.input.begin());
    key.output = key.input;
    key.dtype = typeOf(step.precision);
    key.channelsLast = step.channelsLast && key.dims > 1;
    return key;
}

/// The settings that all convolutions except transposed ones share.
struct Window {
    const Sizes& kernel;
    const Sizes& stride;
    const Sizes& dilation;
    const stack::Padding& padding;
    stack::PaddingMode mode;
};

void slide(ConvKey& key, const Window& w) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(key.dims); ++a) {
        const AxisWindow window = stack::windowAlong(w.kernel, w.stride, w.dilation, w.padding, a);
        key.kernel[a] = window.kernel;
        key.stride[a] = window.stride;
        key.dilation[a] = window.dilation;
        key.output[a] = stack::slidSize(key.input[a], window);
        const bool copied = w.mode != stack::PaddingMode::Zeros;
        key.padding[a] = copied ? 0 : window.before;
        key.input[a] += copied ? window.before + window.after : window.after - window.before;
    }
}

ConvKey pointwise(const Shape& input, std::int64_t outChannels, const stack::Step& step, bool bias) {
    ConvKey key = start(input, outChannels, step);
    key.bias = bias;
    return key;
}

Shape outputOf(const ConvKey& key) {
    Shape shape{key.batch, key.outChannels};
    shape.insert(shape.end(), key.output.begin(), key.output.begin() + key.dims);
    return shape;
}

std::vector<ConvKey> keys(const stack::Conv& op, const Shape& input, const stack::Step& step) {
    ConvKey key = start(input, op.outChannels, step);
    key.groups = op.groups;
    key.bias = op.bias;
    slide(key, {op.kernelSize, op.stride, op.dilation, op.padding, op.paddingMode});
    return {key};
}

std::vector<ConvKey> keys(const stack::SeparableConv& op, const Shape& input, const stack::Step& step) {
    ConvKey deep = start(input, input[1] * op.depthMultiplier, step);
    deep.groups = input[1];
    deep.bias = op.bias;
    slide(deep, {op.kernelSize, op.stride, op.dilation, op.padding, op.paddingMode});
    return {deep, pointwise(outputOf(deep), op.outChannels, step, op.bias)};
}

/// The convolutions of the transform and of the fixed kernel. `naive` unfolds the windows of the latter,
/// `cached` combines both into one convolution, and `fused` is one of Highwater's own kernels.
std::vector<ConvKey> keys(const stack::CustomConv& op, const Shape& input, const stack::Step& step) {
    using Implementation = stack::CustomConv::Implementation;
    static const Sizes one = {1};
    if (op.implementation == Implementation::Fused) {
        return {};
    }
    const ConvKey transform = pointwise(input, op.transformChannels, step, false);
    if (op.implementation == Implementation::Naive) {
        return {transform};
    }
    const bool composed = op.implementation == Implementation::Cached;
    ConvKey fixed = start(composed ? input : outputOf(transform), op.outChannels, step);
    fixed.groups = composed ? 1 : op.transformChannels;
    fixed.bias = op.bias;
    slide(fixed, {op.kernelSize, one, one, op.padding, stack::PaddingMode::Zeros});
    return composed ? std::vector{fixed} : std::vector{transform, fixed};
}

std::vector<ConvKey> keys(const stack::ConvTranspose& op, const Shape& input, const stack::Step& step) {
    ConvKey key = start(input, op.outChannels, step);
    key.transposed = true;
    key.groups = op.groups;
    key.bias = op.bias;
    for (std::size_t a = 0; a < static_cast<std::size_t>(key.dims); ++a) {
        key.kernel[a] = along(op.kernelSize, a);
        key.stride[a] = along(op.stride, a);
        key.padding[a] = along(op.padding, a);
        key.dilation[a] = along(op.dilation, a);
        key.outputPadding[a] = along(op.outputPadding, a);
        const AxisWindow window{key.kernel[a], key.stride[a], key.dilation[a], key.padding[a],
                                key.padding[a]};
        key.output[a] = stack::transposedSize(key.input[a], window, key.outputPadding[a]);
    }
    return {key};
}

std::vector<ConvKey> keys(const stack::Head& op, const Shape& input, const stack::Step& step) {
    return {pointwise(input, op.outChannels, step, op.bias)};
}

std::vector<ConvKey> keys(const auto&, const Shape&, const stack::Step&) {
    return {};
}

}  // namespace

std::vector<ConvKey> convolutionsOf(const stack::Op& op, const Shape& input, const stack::Step& step) {
    return std::visit([&](const auto& layer) { return keys(layer, input, step); }, op);
}

}  // namespace highwater::predict
