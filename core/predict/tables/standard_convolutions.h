#pragma once

#include <vector>

#include "core/predict/predict.h"
#include "core/predict/tables/conv_key.h"
#include "core/predict/tables/gpu_table.h"

namespace highwater::predict {

/// The convolutions that calibration measures on every machine: kernels of 1, 3 and 5, strides, dilated,
/// grouped, depthwise and transposed ones, in 1d, 2d and 3d, from tiny to large, forward and backward, as the
/// layers of a stack meet them. They are what guesses are made from; about 900, each once.
std::vector<ConvKey> standardConvolutions();

/// The passes of a forward convolution in a training step: itself, and its backward for the weights alone (as
/// the first layer of a stack has it), for input and weights, and the same with a strided gradient.
std::vector<ConvKey> trainingPasses(const ConvKey& forward);

/// The convolution passes that a GPU is measured with: what U-Nets like nnU-Net's, in 1d, 2d and 3d, are made
/// of, in fp32 (with and without TF32), fp16 and bf16, contiguous and channels_last, forward and backward,
/// and some with benchmark or deterministic; each once. A pass takes at most 8 GiB with the largest workspace
/// that is believed of it, and all of them, six runs each, are believed to take less than 3 minutes on an
/// A100 or larger.
std::vector<GpuConvolution> standardGpuConvolutions();

/// The distinct convolution passes of a step on the target's GPU, in the order in which it meets them, with
/// the experiment's switches: what has to be measured so that a prediction for it holds no range of
/// workspaces. Empty where the target is no GPU, or the experiment cannot be predicted.
std::vector<GpuConvolution> gpuConvolutionsOf(const stack::Experiment& experiment,
                                              const stack::StackInfo& info, const Target& target);

}  // namespace highwater::predict
