#pragma once

#include <optional>

#include "core/predict/tables/gpu_table.h"

/// Plans that cuDNN uses on a device but does not list without one. Private to core/predict.
namespace highwater::predict {

/// Returns the workspace of a plan that cuDNN uses on a device for this part of a convolution but does not
/// list for a device that is not present; std::nullopt if no such plan is known.
///
/// Known only for compute capability 9.0: derived from an H200's rows with cuDNN 9.19
/// (tests/core/predict/cuda/h200_workspaces.txt), to the byte. N: samples; C, K: channels of input and
/// output; B: 4 bytes.
///
/// - fp32 without TF32, 2d, kernel 3, stride 1, no groups, C and K at least 64, gradient of the weight:
///   Winograd's F(4 x 4, 3 x 3) in three kernels, whose tiles of 6 x 6 values are stored for every 4 x 4
///   positions: 36/16 N B (C + K) H W + 36 B C K; H and W rounded up to multiples of 4. 11 of 11 rows.
/// - The same with kernel 3 or 5, C and K at least 32, images of at least 64 x 64, gradient of the input: FFT
///   in tiles of 32 x 32, of which 32 x 17 complex values are stored: 1088 B (C K + 2 N (C + K)). 10 of 11
///   rows; the other one took no workspace.
/// - In channels_last these two come with a copy of all in the other layout, X + Y + W + 16 B. 5 of 5 rows.
/// - fp16 and bf16, kernel 1, stride 1, no groups, contiguous, forward and gradient of the input: 272 B where
///   the plans that are listed convert input and output, and never more. 31 of 31 rows. Not forward to an odd
///   number of channels from 32 x 32 x 32 positions on: a plan that is listed ran in 5 of 7 rows.
/// - The same in TF32, more than 49 positions: 400 B. 17 of 18 rows; the other one took none.
/// - Their gradient of the weight is a product for each sample, summed afterwards: 4 N C K B in fp16 and bf16
///   where C or K is at least 128 (6 of 6 rows), and 400 B more in TF32, 2d, from 28 x 28 positions on (7 of
///   8 rows; the other one took 4 N C K B).
/// The rows of TF32 and of this gradient are of training scripts on an H200 (tests/gpu/reference/scripts).
std::optional<base::Bytes> unlistedWorkspace(const ConvKey& op, ConvPart part, bool tf32, int architecture);

/// Returns the workspace of the plan that runs without `benchmark`; `listed` is that of the first plan that
/// cuDNN lists. An unlisted transform replaces it in fp32, and an unlisted product replaces a conversion in
/// 16 bits and TF32; otherwise it is `listed`. In TF32, 2d, compute capability 9.0, the gradient of the
/// weight (at least 64 channels, no groups, contiguous) also holds partial sums, 2 to 9 MB more than listed:
/// within 1.2 MB in 16 of 16 convolutions of a resnet50 at batch 128, within 1 KB in 10.
base::Bytes runningWorkspace(const ConvKey& op, ConvPart part, bool tf32, int architecture,
                             base::Bytes listed);

}  // namespace highwater::predict
