#pragma once

#include <ATen/core/Tensor.h>

#include "core/stack/tensor_layers.h"
#include "core/step/forward_mode.h"

/// The layers of core/stack/tensor_layers.h, as LibTorch's operators. Private to core/engine.
namespace highwater::engine {

/// The values that a learned tensor begins with.
at::Tensor makeLearned(const stack::Learned& learned);

at::Tensor apply(const stack::Reshape& reshape, const at::Tensor& x);
at::Tensor apply(const stack::Permute& permute, const at::Tensor& x);
at::Tensor apply(const stack::Select& select, const at::Tensor& x);
at::Tensor apply(const stack::Copy& copy, const at::Tensor& x);
at::Tensor apply(const stack::Learned& learned, const at::Tensor& x, const at::Tensor& weight);
at::Tensor apply(const stack::StochasticDepth& depth, const at::Tensor& x, step::ForwardMode mode);

}  // namespace highwater::engine
