#pragma once

#include <ATen/core/Tensor.h>

#include "core/stack/experiment.h"
#include "core/step/forward_mode.h"

/// The layers of core/layers/layers.h, implemented with LibTorch's operators. Private to core/engine.
namespace highwater::engine {

/// Random numbers with variance 0.02^2.
at::Tensor makeSmall(const stack::Sizes& shape);
/// The initial values of one of its learned tensors.
at::Tensor makeLearned(const stack::Learned& learned, const stack::Shape& shape);

at::Tensor apply(const stack::Reshape& reshape, const at::Tensor& x);
at::Tensor apply(const stack::Permute& permute, const at::Tensor& x);
at::Tensor apply(const stack::Select& select, const at::Tensor& x);
at::Tensor apply(const stack::Slice& slice, const at::Tensor& x);
at::Tensor apply(const stack::Roll& roll, const at::Tensor& x);
at::Tensor apply(const stack::Copy& copy, const at::Tensor& x);
at::Tensor apply(const stack::Learned& learned, const at::Tensor& x, const std::vector<at::Tensor>& weights);
at::Tensor apply(const stack::StochasticDepth& depth, const at::Tensor& x, step::ForwardMode mode);
/// scaled_dot_product_attention. LibTorch before 2.1 has none with a scale: it is replaced by the matrix
/// products that 2.1 computes if it has no fused kernel, with the square root of the factor on either side.
/// `with`: the keys, the values, and the mask if there is one.
at::Tensor attention(const stack::Merge& merge, const at::Tensor& queries,
                     const std::vector<at::Tensor>& with, step::ForwardMode mode);

/// The row of the table for each pair of positions in a window: int64, [positions, positions].
at::Tensor makeRelativePositions(const stack::RelativePositionBias& bias);
at::Tensor apply(const stack::RelativePositionBias& bias, const at::Tensor& table, const at::Tensor& index);
/// Made on the device of `like`, in fp32.
at::Tensor apply(const stack::WindowMask& mask, const at::Tensor& like);

}  // namespace highwater::engine
