#include "core/layers/conv_transpose.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<ConvTranspose>::rule(const ConvTranspose& op, const Shape& input, bool) {
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
            return Error{
                fmt::format("padding {} leaves no output along {}", (*padding)[a], axisName(dims, axis))};
        }
        output.push_back(size);
    }
    const auto weights = weightCount({input[1], op.outChannels / op.groups}, op.kernelSize, dims);
    if (!weights) {
        return weights.error();
    }
    return LayerRule{std::move(output), *weights + (op.bias ? op.outChannels : 0)};
}

python::Module About<ConvTranspose>::module(const ConvTranspose& op, const python::Place& at) {
    python::Module made{
        python::withDims("ConvTranspose", at.dims),
        {python::literal(at.channels), python::literal(op.outChannels), python::sizes(op.kernelSize)}};
    return made.add("stride", op.stride, 1)
        .add("padding", op.padding, 0)
        .add("output_padding", op.outputPadding, 0)
        .add("groups", op.groups, 1)
        .add("bias", op.bias, true)
        .add("dilation", op.dilation, 1);
}

}  // namespace highwater::stack
