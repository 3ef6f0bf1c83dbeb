#pragma once

#include "core/predict/predict.h"

/// cuDNN's workspaces. They can only be asked of a device: measured ones come from a GPU table, others are
/// ranges. Private to core/predict.
namespace highwater::predict {

/// What decides, beside the convolution, which row of a GPU table is meant.
GpuSwitches switchesOf(const CudaSettings& settings);

/// Of the target's GPU table; nothing: it has no row, or is of another architecture.
std::optional<base::Bytes> measuredWorkspace(const ConvKey& op, ConvPart part, const Target& target);
/// The time of a pass from the target's GPU table; 0: it has no row, or is of another device.
double measuredMicroseconds(const ConvKey& op, const Target& target);

/// What was measured, where it was: then low, expected and high are equal. While `benchmark` has plans timed
/// (`searching`: in the first step), as much as the range says may be held. A workspace beyond workspaceLimit
/// is that of a plan which will not be taken: from none to the limit. Not measured: the range.
Estimate workspaceOf(const ConvKey& op, ConvPart part, const Target& target, bool searching);

/// The range of what cuDNN takes in passing for one part of a convolution. With X, Y, W the bytes of input,
/// output and weight, channels rounded up to a multiple of 8 (fp16, bf16) or 4 (TF32):
///
/// low: 0; an implicit product needs none, and LibTorch takes such a plan where memory is short.
/// expected: on tensor cores (fp16 and bf16 from compute capability 7.0, TF32 from 8.0) contiguous tensors
/// are
///   converted to channels-last and back inside the workspace, X + Y + W: in #128947 a peak of 17 GiB with
///   X = 8 and Y = 1 GiB; channels_last tensors need none. The gradient of the weight is summed in fp32
///   parts: one more weight of 4 B a value.
/// high: three times the conversion (in #31500 a single channel, padded, took 24 X); without tensor cores
/// twice
///   X + Y for transforms (Winograd); for channels_last half the conversion. Plus 16 weights of partial sums.
///   Where an FFT may be chosen, at least fftBytes().
/// benchmark: while plans are timed the largest is held: high is 5/3 of that (a report found plans
/// between 2.5
///   and 5 times X + Y), expected half way to high.
/// workspaceLimit: an upper limit to all three.
Estimate cudnnWorkspace(const ConvKey& op, ConvPart part, const CudaSettings& settings, int architecture);

}  // namespace highwater::predict
