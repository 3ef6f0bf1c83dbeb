#pragma once

#include "core/predict/predict.h"

/// cuDNN's workspaces: measured ones come from a GPU table, what cuDNN itself answered from an asked table,
/// the others are ranges. Private to core/predict.
namespace highwater::predict {

/// The switches that, together with the convolution, select the row of a GPU table.
GpuSwitches switchesOf(const CudaSettings& settings);

/// Returns the workspace from the target's GPU table; std::nullopt if the table has no such row or is of
/// another architecture.
std::optional<base::Bytes> measuredWorkspace(const ConvKey& op, ConvPart part, const Target& target);
/// Returns the time of a pass from the target's GPU table; 0 if the table has no such row or is of another
/// device.
double measuredMicroseconds(const ConvKey& op, const Target& target);

/// Returns the workspace of one part of a convolution pass.
///
/// - Measured: low, expected and high are equal. In the first step with `benchmark` (`searching`), plans are
/// timed and
///   more memory may be held, up to what the range says. If it exceeds workspaceLimit, that plan will not be
///   used: the estimate is 0 to the limit.
/// - Asked (a measured one wins): that of LibTorch's first plan. With `benchmark` the workspace of the
/// largest plan while
///   searching, and afterwards from the smallest to the largest of the plans that were timed; which is the
///   fastest, only the device can tell. A plan that exceeds workspaceLimit or the device's memory is not
///   used.
/// - Otherwise the range.
Workspace workspaceOf(const ConvKey& op, ConvPart part, const Target& target, bool searching);

/// Returns the range of cuDNN's temporary workspace for one part of a convolution, in bytes. X, Y and W are
/// the bytes of input, output and weight, with channels rounded up to a multiple of 8 (fp16, bf16) or 4
/// (TF32).
///
/// - low: 0. An implicit product needs no workspace, and LibTorch takes such a plan if memory is short.
/// - expected: X + Y + W on tensor cores (fp16 and bf16 from compute capability 7.0, TF32 from 8.0) for
///   contiguous tensors, which are converted to channels-last and back inside the workspace: in #128947 a
///   peak of 17 GiB with X = 8 and Y = 1 GiB. 0 for channels_last tensors. The gradient of the weight is
///   summed in fp32 parts: one more weight of 4 B per value.
/// - high: three times the conversion (in #31500 a single channel, padded, took 24 X). Without tensor
///   cores, twice the conversion, for transforms (Winograd); for channels_last, half the conversion. Plus
///   16 weights of partial sums. At least fftBytes() if an FFT may be chosen.
/// - With `benchmark`: while plans are timed, the largest workspace is held. high is 5/3 of the above (a
///   report found plans between 2.5 and 5 times X + Y), expected is half way to high.
/// - workspaceLimit is an upper limit for all three.
Estimate cudnnWorkspace(const ConvKey& op, ConvPart part, const CudaSettings& settings, int architecture);

}  // namespace highwater::predict
