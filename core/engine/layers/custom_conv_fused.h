#pragma once

#include <ATen/core/Tensor.h>

#include "core/predict/fused_conv.h"
#include "core/stack/experiment.h"

/// The fused custom_conv over tensors, device by device. Private to core/engine.
namespace highwater::engine {

/// Tensors that are contiguous, of one device and type.
struct FusedTensors {
    at::Tensor x, weight, fixed, bias;  ///< bias: undefined for none
};
at::Tensor fusedForward(const predict::FusedConv& conv, const FusedTensors& tensors,
                        const stack::Shape& output);

struct FusedGradients {
    at::Tensor input, weight, bias;  ///< undefined where not wanted
};
/// `inputs`: x and W are of use, `gradient` is the output's. `wantsInput`: the input's gradient, too.
FusedGradients fusedBackward(const predict::FusedConv& conv, const FusedTensors& inputs,
                             const at::Tensor& gradient, bool wantsInput, bool wantsBias);

// --- custom_conv_cuda.cpp, or custom_conv_cuda_absent.cpp; the tensors are on the GPU: float, half or
// bfloat16
void fusedForwardCuda(const predict::FusedConv& conv, const FusedTensors& tensors, const at::Tensor& y);
/// Fills what of `made` is defined.
void fusedBackwardCuda(const predict::FusedConv& conv, const FusedTensors& inputs, const at::Tensor& gradient,
                       const FusedGradients& made);

}  // namespace highwater::engine
