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

/// Patch and batch for a cohort, from its shapes and spacings and the predicted memory.
namespace highwater::plan {

struct CaseShape {
    std::array<std::int64_t, 3> size{};  ///< voxels i, j, k; > 0
    std::array<double, 3> spacing{};     ///< mm; 0 where unknown, then its size is taken as it is
};

/// The predicted peak of a training step of this experiment on the chosen device, everything included that
/// counts against its memory; an error where the experiment cannot be (its line is kept as the reason).
using Peak = std::function<base::Result<base::Bytes>(const stack::Experiment&)>;

struct ProposeOptions {
    base::Bytes capacity = 0;  ///< what a step may take at most; > 0
    std::int64_t leastBatch = 2;
    const std::atomic<bool>* cancel = nullptr;
};

struct PatchProposal {
    std::array<double, 3> spacing{};           ///< mm, i, j, k: the median along each axis
    std::array<std::int64_t, 3> medianSize{};  ///< voxels at that spacing
    stack::Sizes patch;                        ///< D, H, W, as ScanInput::patch
    std::int64_t batch = 1;
    base::Bytes peak = 0;          ///< predicted, with them
    double coveredShare = 0;       ///< of the median volume, 0 to 1
    std::vector<std::string> why;  ///< one sentence a decision, with its figures
};

/// In the manner of nnU-Net's planning (Isensee et al., Nature Methods 18, 2021, "rule-based parameters"),
/// with our prediction in the place of its reference figure: begins with the median shape, shortens the axis
/// that is longest against it in steps of the stack's stride until `leastBatch` patches fit, then takes as
/// large a batch as fits, at most 5 % of the cohort's voxels a step (but `leastBatch`), a multiple of
/// micro_batches. No axis of the patch can then be longer by one stride, up to the median. `peak` is asked
/// about 30 times. Errors: no cases; an input that is no volume; nothing fits, with the smallest patch that
/// was tried and its peak; "cancelled".
base::Result<PatchProposal> proposePatch(const stack::Experiment& experiment,
                                         const std::vector<CaseShape>& cases, const Peak& peak,
                                         const ProposeOptions& options);

/// The experiment with that patch and batch: what `peak` was asked about. Its input is a scan, a cohort or a
/// synthetic volume.
stack::Experiment withPatch(const stack::Experiment& experiment, const stack::Sizes& patch,
                            std::int64_t batch);

/// What patch sizes must be multiples of, along D, H and W, so that what is scaled down and up again comes
/// out at its size: the product of the strides and poolings on the way down (their least common multiple
/// where the stack goes down several times). 1 along an axis that the input does not have.
std::array<std::int64_t, 3> strideOf(const stack::Experiment& experiment);

/// The expected peak of a training step on `target` by core/predict: on a GPU what the allocator reserves and
/// the CUDA context; on the CPU what is allocated. Where the odds of running out are 1 % or more it is over
/// what the device has (stepCapacity), whatever is expected.
Peak predictedPeak(const predict::Target& target);
/// What a step may take on it: the device's memory less what others hold. 0 where that is unknown.
base::Bytes stepCapacity(const predict::Target& target);

}  // namespace highwater::plan
