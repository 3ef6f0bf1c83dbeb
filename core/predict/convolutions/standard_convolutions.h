#pragma once

#include <vector>

#include "core/predict/tables/conv_key.h"

namespace highwater::predict {

/// Returns the convolutions that calibration measures on every machine: kernels of 1, 3 and 5, with strides,
/// dilated, grouped, depthwise and transposed ones, in 1d, 2d and 3d, from tiny to large, forward and
/// backward, as they occur in stacks. Guesses are made from them. About 900, each once.
std::vector<ConvKey> standardConvolutions();

/// Returns the passes of a forward convolution in a training step: itself; its backward for the weights alone
/// (as in the first layer of a stack); its backward for input and weights; and the latter with a strided
/// gradient.
std::vector<ConvKey> trainingPasses(const ConvKey& forward);

/// Returns the convolution passes that are measured on a GPU: those of U-Nets like nnU-Net's, in 1d, 2d and
/// 3d, in fp32 (with and without TF32), fp16 and bf16, contiguous and channels_last, forward and backward,
/// and some with benchmark or deterministic; each once. A pass takes at most 8 GiB with the largest workspace
/// expected for it. All of them, six runs each, are expected to take less than 3 minutes on an A100 or
/// larger.
std::vector<GpuConvolution> standardGpuConvolutions();

/// Returns the distinct convolution passes of a step on the target's GPU, in the order in which they first
/// occur, with the experiment's switches. Once they are measured, a prediction for the experiment has no
/// range of workspaces. Empty if the target is not a GPU, or the experiment cannot be predicted.
std::vector<GpuConvolution> gpuConvolutionsOf(const stack::Experiment& experiment,
                                              const stack::StackInfo& info, const Target& target);

}  // namespace highwater::predict
