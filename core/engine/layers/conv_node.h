#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/engine/device/torch_compat.h"

/// The backward of a convolution without its forward. Private to core/engine.
namespace highwater::engine {

/// A convolution's options, one value per axis.
struct ConvolutionOptions {
    std::vector<std::int64_t> stride, padding, dilation, outputPadding;
    bool transposed = false;
    std::int64_t groups = 1;
};

/// Creates the node that at::convolution(x, weight, bias, ...) would make, without computing the output, and
/// returns the edge that leads to it. It keeps x and the weight, and computes bit-equal gradients. Under
/// autocast x, weight and bias are cast as the convolution would cast them. `gradient` has the output's
/// shape, type and device. `bias` may be undefined.
GraphEdge convolutionEdge(at::Tensor x, at::Tensor weight, at::Tensor bias, const ConvolutionOptions& options,
                          const at::Tensor& gradient);

}  // namespace highwater::engine
