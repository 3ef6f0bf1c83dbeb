#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/engine/layers/layers.h"
#include "core/stack/experiment.h"

/// custom_conv: a learned 1x1 transform h = W x with W [transform_channels, in_channels, 1...] and no bias,
/// then a fixed kernel d [out_channels, 1, kernel...] in transform_channels groups: y_o[p] = b_o + sum_u
/// d_o[u] h_c(o)[p + u - padding], where h is padded with zeros. The four implementations have the same
/// result (docs/memory-model.md section 7). Private to core/engine.
namespace highwater::engine {

/// The fixed kernel d: fp32, on the CPU, [out_channels, 1, kernel...]. gaussian: separable, with OpenCV's
/// default width (0.3 ((k - 1) / 2 - 1) + 0.8), and sum 1. laplacian: of that Gaussian, sampled, minus its
/// mean, scaled so that the absolute values sum to 1. random: drawn from the default generator as torch.nn
/// draws the weight of a depthwise convolution. The first two are the same for every output channel.
at::Tensor fixedKernel(const stack::CustomConv& op, std::size_t dims);

/// The composed kernel K_oj[u] = W_c(o)j d_o[u], with which `cached` runs an ordinary convolution. It depends
/// on the weights alone, so it is computed only when W has changed (after the optimizer's step), in the type
/// in which convolutions compute, and is used by every forward and recomputation until the next change.
struct ComposedKernel {
    at::Tensor kernel;
    std::uint32_t version = 0;  ///< W's version when `kernel` was computed
};

/// The layer's output; `tensors` are those of makeLayer.
at::Tensor applyCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);

/// Kernel size and padding by axis. padding "same" with an even kernel needs one more element at the end
/// (`extra`).
struct CustomConvWindow {
    stack::Sizes kernel, padding, extra;
    bool uneven() const;  ///< true if any `extra` is not 0
};
CustomConvWindow windowOf(const stack::CustomConv& op, std::size_t dims);

// --- Each implementation is in a separate file.
at::Tensor naiveCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);
at::Tensor cachedCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);
at::Tensor fusedCustomConv(const stack::CustomConv& op, const LayerTensors& tensors, const at::Tensor& x);

/// The 1x1 transform.
at::Tensor transform(const at::Tensor& x, const at::Tensor& weight);
/// x padded with zeros along its last axes; x itself if there is nothing to pad.
at::Tensor zeroPadded(const at::Tensor& x, const stack::Sizes& before, const stack::Sizes& after);
/// The type in which convolutions of x compute under autocast; x's own type if autocast is off.
at::ScalarType convolutionType(const at::Tensor& x);

}  // namespace highwater::engine
