#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/predict/predict.h"
#include "core/stack/experiment.h"

/// Proposes a patch and a batch for a cohort, from the shapes and spacings of its cases and the predicted
/// memory.
namespace highwater::plan {

struct CaseShape {
    std::array<std::int64_t, 3> size{};  ///< voxels i, j, k; > 0
    std::array<double, 3> spacing{};     ///< mm; 0 if unknown, then the size is not rescaled
};

/// Returns the predicted peak of a training step of this experiment on the chosen device, in bytes, including
/// everything that counts against its memory. Error if the experiment is not possible; its message is stored
/// as the reason.
using Peak = std::function<base::Result<base::Bytes>(const stack::Experiment&)>;

struct ProposeOptions {
    base::Bytes capacity = 0;  ///< memory limit of a step; > 0
    std::int64_t leastBatch = 2;
    const std::atomic<bool>* cancel = nullptr;
};

struct PatchProposal {
    std::array<double, 3> spacing{};           ///< mm, i, j, k: the median along each axis
    std::array<std::int64_t, 3> medianSize{};  ///< voxels at that spacing
    stack::Sizes patch;                        ///< D, H, W, as ScanInput::patch
    std::int64_t batch = 1;
    base::Bytes peak = 0;          ///< predicted for this patch and batch
    double coveredShare = 0;       ///< share of the median volume that the patch covers, 0 to 1
    std::vector<std::string> why;  ///< one sentence per decision, with its figures
};

/// Proposes a patch and a batch as nnU-Net's planning does (Isensee et al., Nature Methods 18, 2021,
/// "rule-based parameters"), but with Highwater's prediction instead of nnU-Net's reference figure. Starts
/// with the median shape. Shortens the axis that is longest relative to it, in steps of the stack's stride,
/// until `leastBatch` patches fit. Then takes the largest batch that fits: a multiple of micro_batches, with
/// at most 5 % of the cohort's voxels per step (but at least `leastBatch`). In the result, no axis of the
/// patch could be one stride longer (up to the median). `peak` is called about 30 times. Errors: no cases; an
/// input that is not a volume; nothing fits (with the smallest patch that was tried, and its peak);
/// "cancelled".
base::Result<PatchProposal> proposePatch(const stack::Experiment& experiment,
                                         const std::vector<CaseShape>& cases, const Peak& peak,
                                         const ProposeOptions& options);

/// Returns the experiment with that patch and batch, as passed to `peak`. Its input is a scan, a cohort or a
/// synthetic volume.
stack::Experiment withPatch(const stack::Experiment& experiment, const stack::Sizes& patch,
                            std::int64_t batch);

/// Returns the numbers that patch sizes along D, H and W must be multiples of, so that sizes match again
/// after downsampling and upsampling: the product of the strides and poolings on the way down (their least
/// common multiple if there are several ways down). 1 along an axis that the input does not have.
std::array<std::int64_t, 3> strideOf(const stack::Experiment& experiment);

/// The expected peak of a training step on `target` by core/predict: on a GPU reserved memory plus the CUDA
/// context; on the CPU allocated memory. If the odds of running out of memory are 1 % or more, it is above
/// the capacity (stepCapacity), whatever the expected peak.
Peak predictedPeak(const predict::Target& target);
/// The memory that a step may use on the target: the device's memory minus what other programs use. 0 if
/// unknown.
base::Bytes stepCapacity(const predict::Target& target);

}  // namespace highwater::plan
