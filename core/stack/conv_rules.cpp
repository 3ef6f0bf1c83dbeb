#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/stack/axis_size.h"
#include "core/stack/layer_rules.h"
#include "core/stack/limits.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

/// The settings that all convolutions except transposed ones share; sizes as the user gave them.
struct Window {
    int dims;
    const Sizes& kernelSize;
    const Sizes& stride;
    const Sizes& dilation;
    const Padding& padding;
    PaddingMode mode;
};

std::optional<Error> checkDims(int given, const Shape& input) {
    const int dims = dimsOf(input);
    if (given == 0 || given == dims) {
        return std::nullopt;
    }
    return Error{
        fmt::format("dims is {}, but the input is {}d; leave dims out or set it to {}", given, dims, dims)};
}

std::optional<Error> checkGroups(std::int64_t groups, std::int64_t in, std::int64_t out) {
    if (auto error = outside("groups", groups, 1, kMostSize)) {
        return error;
    }
    if (in % groups != 0) {
        return Error{fmt::format("groups {} does not divide the {} input channels", groups, in)};
    }
    if (out % groups != 0) {
        return Error{fmt::format("groups {} does not divide out_channels {}", groups, out)};
    }
    return std::nullopt;
}

std::string kernelText(std::int64_t kernel, std::int64_t dilation) {
    return dilation == 1 ? fmt::format("kernel {}", kernel)
                         : fmt::format("kernel {} with dilation {}", kernel, dilation);
}

Result<Shape> slide(const Window& w, const Shape& input, std::int64_t outChannels) {
    if (auto error = checkDims(w.dims, input)) {
        return *error;
    }
    if (auto error = outside("out_channels", outChannels, 1, kMostSize)) {
        return *error;
    }
    const int dims = dimsOf(input);
    const auto kernel = perAxis(w.kernelSize, dims, "kernel_size", 1, kMostExtent);
    const auto stride = perAxis(w.stride, dims, "stride", 1, kMostExtent);
    const auto dilation = perAxis(w.dilation, dims, "dilation", 1, kMostExtent);
    const auto given = perAxis(w.padding.same ? Sizes{0} : w.padding.sizes, dims, "padding", 0, kMostExtent);
    for (const auto* sizes : {&kernel, &stride, &dilation, &given}) {
        if (!*sizes) {
            return sizes->error();
        }
    }
    Shape output = {input[0], outChannels};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const std::int64_t size = input[a + 2];
        const AxisWindow window = windowAlong(w.kernelSize, w.stride, w.dilation, w.padding, a);
        if (w.padding.same && window.stride != 1) {
            return Error{fmt::format("padding \"same\" needs stride 1, not {}; give the padding as a number",
                                     window.stride)};
        }
        if (auto error =
                checkPaddingMode(w.mode, std::max(window.before, window.after), size, axisName(dims, axis))) {
            return *error;
        }
        const std::int64_t slid = slidSize(size, window);
        if (slid == 0) {
            return Error{fmt::format("{} does not fit an input of {}{} along {}",
                                     kernelText(window.kernel, window.dilation), size,
                                     window.before == 0 ? "" : fmt::format(" with padding {}", window.before),
                                     axisName(dims, axis))};
        }
        output.push_back(slid);
    }
    return output;
}

}  // namespace

Result<LayerRule> convRule(const Conv& op, const Shape& input) {
    auto output = slide({op.dims, op.kernelSize, op.stride, op.dilation, op.padding, op.paddingMode}, input,
                        op.outChannels);
    if (!output) {
        return output.error();
    }
    if (auto error = checkGroups(op.groups, input[1], op.outChannels)) {
        return *error;
    }
    const auto weights = weightCount({op.outChannels, input[1] / op.groups}, op.kernelSize, dimsOf(input));
    if (!weights) {
        return weights.error();
    }
    return LayerRule{std::move(*output), *weights + (op.bias ? op.outChannels : 0)};
}

Result<LayerRule> headRule(const Head& op, const Shape& input) {
    if (auto error = outside("out_channels", op.outChannels, 1, kMostSize)) {
        return *error;
    }
    if (!(op.weight >= 0 && std::isfinite(op.weight))) {
        return Error{fmt::format("weight must be a number of at least 0, not {}", op.weight)};
    }
    const auto weights = weightCount({op.outChannels, input[1]}, Sizes{1}, dimsOf(input));
    if (!weights) {
        return weights.error();
    }
    Shape output = input;
    output[1] = op.outChannels;
    return LayerRule{std::move(output), *weights + (op.bias ? op.outChannels : 0)};
}

Result<LayerRule> separableConvRule(const SeparableConv& op, const Shape& input) {
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

Result<LayerRule> customConvRule(const CustomConv& op, const Shape& input) {
    if (auto error = outside("transform_channels", op.transformChannels, 1, kMostSize)) {
        return *error;
    }
    static const Sizes one = {1};
    auto output =
        slide({op.dims, op.kernelSize, one, one, op.padding, PaddingMode::Zeros}, input, op.outChannels);
    if (!output) {
        return output.error();
    }
    if (op.outChannels % op.transformChannels != 0) {
        return Error{fmt::format("out_channels {} is no multiple of transform_channels {}", op.outChannels,
                                 op.transformChannels)};
    }
    const bool small =
        std::all_of(op.kernelSize.begin(), op.kernelSize.end(), [](std::int64_t size) { return size < 3; });
    if (op.kernel == CustomConv::Kernel::Laplacian && small) {
        return Error{"kernel \"laplacian\" needs a kernel_size of 3 or more along an axis"};
    }
    Shape between = input;
    between[1] = op.transformChannels;
    if (const auto bytes = tensorBytes(between, 4, "the transform's output"); !bytes) {
        return bytes.error();
    }
    const auto fixedKernel = weightCount({op.outChannels}, op.kernelSize, dimsOf(input));
    const auto transform = weightCount({op.transformChannels, input[1]}, one, dimsOf(input));
    if (!fixedKernel || !transform) {
        return fixedKernel ? transform.error() : fixedKernel.error();
    }
    return LayerRule{std::move(*output), *transform + (op.bias ? op.outChannels : 0)};
}

Result<LayerRule> convTransposeRule(const ConvTranspose& op, const Shape& input) {
    if (auto error = checkDims(op.dims, input)) {
        return *error;
    }
    if (auto error = outside("out_channels", op.outChannels, 1, kMostSize)) {
        return *error;
    }
    if (auto error = checkGroups(op.groups, input[1], op.outChannels)) {
        return *error;
    }
    const int dims = dimsOf(input);
    const auto kernel = perAxis(op.kernelSize, dims, "kernel_size", 1, kMostExtent);
    const auto stride = perAxis(op.stride, dims, "stride", 1, kMostExtent);
    const auto dilation = perAxis(op.dilation, dims, "dilation", 1, kMostExtent);
    const auto padding = perAxis(op.padding, dims, "padding", 0, kMostExtent);
    const auto extra = perAxis(op.outputPadding, dims, "output_padding", 0, kMostExtent);
    for (const auto* sizes : {&kernel, &stride, &dilation, &padding, &extra}) {
        if (!*sizes) {
            return sizes->error();
        }
    }
    Shape output = {input[0], op.outChannels};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const std::int64_t largest = std::max((*stride)[a], (*dilation)[a]) - 1;
        if ((*extra)[a] > largest) {
            return Error{
                fmt::format("output_padding {} must be smaller than stride or dilation; at most {} here",
                            (*extra)[a], largest)};
        }
        const AxisWindow window{(*kernel)[a], (*stride)[a], (*dilation)[a], (*padding)[a], (*padding)[a]};
        const std::int64_t size = transposedSize(input[a + 2], window, (*extra)[a]);
        if (size == 0) {
            return Error{fmt::format("padding {} leaves nothing of the output along {}", (*padding)[a],
                                     axisName(dims, axis))};
        }
        output.push_back(size);
    }
    const auto weights = weightCount({input[1], op.outChannels / op.groups}, op.kernelSize, dims);
    if (!weights) {
        return weights.error();
    }
    return LayerRule{std::move(output), *weights + (op.bias ? op.outChannels : 0)};
}

}  // namespace highwater::stack
