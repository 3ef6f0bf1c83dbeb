#pragma once

#include <ATen/core/Tensor.h>

#include "core/stack/experiment.h"
#include "core/step/fused_conv.h"

/// The fused custom_conv on tensors. Private to core/engine.
namespace highwater::engine {

/// Contiguous tensors of the same device and type.
struct FusedTensors {
    at::Tensor x, weight, fixed, bias;  ///< bias: undefined if there is none
};
at::Tensor fusedForward(const step::FusedConv& conv, const FusedTensors& tensors, const stack::Shape& output);

struct FusedGradients {
    at::Tensor input, weight, bias;  ///< undefined if not wanted
};
/// The gradients. The bias in `inputs` is not used; `gradient` is the output's. `wantsInput`, `wantsBias`:
/// compute the input's and the bias's gradient too.
FusedGradients fusedBackward(const step::FusedConv& conv, const FusedTensors& inputs,
                             const at::Tensor& gradient, bool wantsInput, bool wantsBias);

// --- In custom_conv_cuda.cpp, or custom_conv_cuda_absent.cpp in a build without CUDA kernels. The tensors
// are on the GPU: float, half or bfloat16.
void fusedForwardCuda(const step::FusedConv& conv, const FusedTensors& tensors, const at::Tensor& y);
/// Writes the defined tensors of `made`.
void fusedBackwardCuda(const step::FusedConv& conv, const FusedTensors& inputs, const at::Tensor& gradient,
                       const FusedGradients& made);

}  // namespace highwater::engine
