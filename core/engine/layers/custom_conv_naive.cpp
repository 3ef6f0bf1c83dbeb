#include <ATen/ATen.h>

#include <numeric>

#include "core/engine/layers/custom_conv.h"

/// The straightforward implementation with tensor operators: a view of every window, times the kernel,
/// summed. The products are materialized: a whole kernel for every output position.
namespace highwater::engine {

at::Tensor naiveCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x) {
    const auto dims = static_cast<std::size_t>(x.dim() - 2);
    const CustomConvWindow window = windowOf(op, dims);
    stack::Sizes behind = window.padding;
    for (std::size_t axis = 0; axis < dims; ++axis) {
        behind[axis] += window.extra[axis];
    }
    at::Tensor windows = zeroPadded(transform(x, tensors.parameters[0]), window.padding, behind);
    const at::ScalarType type = windows.scalar_type();
    for (std::size_t axis = 0; axis < dims; ++axis) {
        windows = windows.unfold(static_cast<std::int64_t>(axis) + 2, window.kernel[axis], 1);
    }

    stack::Shape kernelShape{1, op.transformChannels, op.outChannels / op.transformChannels};
    kernelShape.insert(kernelShape.end(), dims, 1);
    kernelShape.insert(kernelShape.end(), window.kernel.begin(), window.kernel.end());
    const at::Tensor kernel = tensors.kernel.to(type).view(kernelShape);
    stack::Sizes places(dims);
    std::iota(places.begin(), places.end(), static_cast<std::int64_t>(dims) + 3);
    const at::Tensor sums = at::sum(windows.unsqueeze(2) * kernel, places, false, type).flatten(1, 2);
    if (!op.bias) {
        return sums;
    }
    stack::Shape biasShape(dims + 2, 1);
    biasShape[1] = op.outChannels;
    return sums + tensors.parameters[1].to(type).view(biasShape);
}

}  // namespace highwater::engine
