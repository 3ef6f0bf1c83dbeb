#pragma once

#include <vector>

#include "core/predict/tables/gpu_table.h"
#include "core/predict/target/target.h"

namespace highwater::predict {

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
