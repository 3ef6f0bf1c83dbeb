#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/engine/layers/layers.h"
#include "core/stack/experiment.h"

/// custom_conv: h = W x with a learned W [transform_channels, in_channels, 1...] without bias, then
/// y_o[p] = b_o + sum_u d_o[u] h_c(o)[p + u - padding] with a fixed kernel d [out_channels, 1, kernel...] in
/// transform_channels groups and zeros around h. Four implementations, one result (memory-model.md
/// section 7). Private to core/engine.
namespace highwater::engine {

/// d, fp32, on the CPU. gaussian: separable, of OpenCV's default width (0.3 ((k - 1) / 2 - 1) + 0.8), summing
/// to 1. laplacian: of that Gaussian, sampled, minus its mean, its absolute values summing to 1. random:
/// drawn from the default generator as torch.nn draws a depthwise convolution's weight. The first two are the
/// same for every output.
at::Tensor fixedKernel(const stack::CustomConv& op, std::size_t dims);

/// K_oj[u] = W_c(o)j d_o[u], of which `cached` makes an ordinary convolution. It depends on weights alone, so
/// it is made when W has changed since it was (the optimizer's step), in the type that convolutions compute
/// in, and serves every forward and recomputation until the next change.
struct ComposedKernel {
    at::Tensor kernel;
    std::uint32_t version = 0;  ///< of W, when the kernel was made
};

/// The layer's output, from tensors that makeLayer made.
at::Tensor applyCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);

/// A kernel and its padding with one value an axis. "same" of an even kernel needs one more element behind.
struct CustomConvWindow {
    stack::Sizes kernel, padding, extra;
    bool uneven() const;  ///< any extra
};
CustomConvWindow windowOf(const stack::CustomConv& op, std::size_t dims);

// --- one implementation a file
at::Tensor naiveCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);
at::Tensor cachedCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);
at::Tensor fusedCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);

/// The 1x1 transform.
at::Tensor transform(const at::Tensor& x, const at::Tensor& weight);
/// Zeros around the last axes, where there are any.
at::Tensor zeroPadded(const at::Tensor& x, const stack::Sizes& before, const stack::Sizes& after);
/// The type that autocast's convolutions of x compute in; x's own where autocast is off.
at::ScalarType convolutionType(const at::Tensor& x);

}  // namespace highwater::engine
