#pragma once

#include <optional>
#include <string>

#include "core/predict/tables/conv_key.h"
#include "core/predict/tables/estimate.h"
#include "core/predict/target/target.h"

/// cuDNN's workspaces: measured ones come from a GPU table, cuDNN's own answers from an asked table, the
/// others are ranges. Private to core/predict.
namespace highwater::predict {

/// cuDNN's workspace for one part of a convolution pass.
struct Workspace {
    /// Measured: on a device of this architecture. Asked: cuDNN's answer. Guessed: a range.
    enum class Source { Measured, Asked, Guessed };
    int layer = -1;  ///< the first layer with this pass
    ConvPart part = ConvPart::Forward;
    Estimate bytes;  ///< once the plan is chosen
    Source source = Source::Guessed;
    base::Bytes least = 0;  ///< Asked: the smallest workspace of the other plans, used if memory is short
    std::string question;   ///< questionName() of the question to ask; empty if there is none
};

/// The switches that, together with the convolution, select the row of a GPU table.
GpuSwitches switchesOf(const CudaSettings& settings);

/// Returns the workspace from the target's GPU table; std::nullopt if the table has no such row or is of
/// another architecture.
std::optional<base::Bytes> measuredWorkspace(const ConvKey& op, ConvPart part, const Target& target);
/// Returns the time of a pass from the target's GPU table; 0 if the table has no such row or is of another
/// device.
double measuredMicroseconds(const ConvKey& op, const Target& target);

/// Returns the workspace of one part of a convolution pass, once its plan is chosen.
///
/// - Measured: low, expected and high are equal. If it exceeds workspaceLimit, that plan is not used: the
///   estimate is 0 to the limit.
/// - Asked (a measured one wins): that of LibTorch's first plan. With `benchmark` from the smallest to the
///   largest of the plans that were timed, because only the device can tell which is the fastest. A plan that
///   exceeds workspaceLimit or the device's memory is not used. If a plan is known that cuDNN does not list
///   (unlisted.h), that one is expected, and the range includes both; with `benchmark` only the range grows.
/// - Otherwise the range. There is a question to ask unless the device could not hold the tensors.
/// - If a later cuDNN is asked instead (Target::asksLaterCudnn), the range of an answer begins at 0.
Workspace workspaceOf(const ConvKey& op, ConvPart part, const Target& target);

/// Whether it is unknown how much memory cuDNN may hold while `benchmark` times its plans: versions 9.0 to
/// 9.7 cannot be asked, and 9.1 was observed to hold up to 20 GiB for networks whose convolutions need little
/// according to a later version (GPUMemNet's xception65 and convmixer).
bool searchIsUnknown(const Target& target);

/// Returns the block in which `benchmark` times the plans of one part of a convolution (Conv_v8.cpp,
/// generate_and_filter_plans): as large as the largest workspace of all plans, except those that do not fit
/// into the device's free memory (cacheInfo). `live` is the number of bytes allocated at that time. A plan
/// that fits only if the allocator reserves no more than that may be left out; the result is then a range. If
/// a later cuDNN is asked instead, the range is 0 to all free memory.
Estimate searchOf(const ConvKey& op, ConvPart part, const Target& target, base::Bytes live);

/// When a workspace is requested: in the search of `benchmark`, or once the plan is chosen.
enum class CudnnStage { Search, Chosen };

/// Returns the range of cuDNN's temporary workspace for one part of a convolution, in bytes. X, Y and W are
/// the bytes of input, output and weight, with channels rounded up to a multiple of 8 (fp16, bf16) or 4
/// (TF32).
///
/// - low: 0. An implicit product needs no workspace, and LibTorch takes such a plan if memory is short.
/// - expected: X + Y + W on tensor cores (fp16 and bf16 from compute capability 7.0, TF32 from 8.0) for
///   contiguous tensors, which are converted to channels-last and back inside the workspace. This is what
///   was measured (docs/public-truth.md: #95024, #166643, #123533). 0 for channels_last tensors. The
///   gradient of the weight is summed in fp32 parts: one more weight of 4 B per value.
/// - high: a multiple of X + Y + W, plus 16 weights of partial sums. From cuDNN 9 on the multiple holds 99 in
///   100 answers that cuDNN 9.10 to 9.26 gave about 61,000 parts of convolutions on 26 GPUs
///   (resources/calibration/cudnn): 2.5 on tensor cores and 1.1 without; of the plans that `benchmark` times
///   4.1, 3.5 for channels_last. Before cuDNN 9: 3 (2.25 was measured, #185903), for channels_last 0.5,
///   without tensor cores 2, for transforms (Winograd); with `benchmark` 5/3 of that; and at least fftBytes()
///   if an FFT may be chosen.
/// - In the search the largest of all plans counts: expected 1.5 X + Y + W (channels_last: 1), high 6.3
/// (5.3),
///   which holds 90 in 100 answers.
/// - workspaceLimit is an upper limit for all three.
Estimate cudnnWorkspace(const ConvKey& op, ConvPart part, const CudaSettings& settings,
                        const CudaVersions& versions, CudnnStage stage = CudnnStage::Chosen);

}  // namespace highwater::predict
