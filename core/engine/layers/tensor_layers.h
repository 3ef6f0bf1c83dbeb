#pragma once

#include <ATen/core/Tensor.h>

#include "core/stack/experiment.h"
#include "core/step/forward_mode.h"

/// The layers of core/layers/layers.h, as LibTorch's operators. Private to core/engine.
namespace highwater::engine {

/// Numbers of variance 0.02^2.
at::Tensor makeSmall(const stack::Sizes& shape);
/// The values that a learned tensor begins with.
at::Tensor makeLearned(const stack::Learned& learned);

at::Tensor apply(const stack::Reshape& reshape, const at::Tensor& x);
at::Tensor apply(const stack::Permute& permute, const at::Tensor& x);
at::Tensor apply(const stack::Select& select, const at::Tensor& x);
at::Tensor apply(const stack::Slice& slice, const at::Tensor& x);
at::Tensor apply(const stack::Roll& roll, const at::Tensor& x);
at::Tensor apply(const stack::Copy& copy, const at::Tensor& x);
at::Tensor apply(const stack::Learned& learned, const at::Tensor& x, const at::Tensor& weight);
at::Tensor apply(const stack::StochasticDepth& depth, const at::Tensor& x, step::ForwardMode mode);
/// scaled_dot_product_attention. LibTorch before 2.1 has none with a scale: there it is the products that 2.1
/// computes where it has no kernel for the whole, with half of the factor on either side.
at::Tensor attention(const stack::Merge& merge, const at::Tensor& queries, const at::Tensor& keys,
                     const at::Tensor& values, step::ForwardMode mode);

/// The row of the table for each pair of places of a window: int64, [places, places].
at::Tensor makeRelativePositions(const stack::RelativePositionBias& bias);
at::Tensor apply(const stack::RelativePositionBias& bias, const at::Tensor& table, const at::Tensor& index);
/// Made on the device of `like`, in fp32.
at::Tensor apply(const stack::WindowMask& mask, const at::Tensor& like);

}  // namespace highwater::engine
