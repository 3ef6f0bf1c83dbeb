#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engine/data/patch_values.h"
#include "core/engine/data/prefetcher.h"
#include "core/engine/run_request.h"
#include "core/stack/data_plan.h"
#include "core/volume/augment.h"
#include "core/volume/sampler.h"

/// Makes the samples of a run. Plain C++. Private to core/engine.
namespace highwater::engine {

/// True if the target is a label map and the loss uses it.
bool needsLabels(const RunRequest& request);
/// The cases of a cohort, or the scan as the only case; empty for synthetic input.
std::vector<CaseVolumes> casesOf(const RunRequest& request);

/// Where one sample is written. Each pointer is to a contiguous part of a tensor. `values` and `classes` are
/// both null if the target is not made from the sample.
struct SampleMemory {
    float* input = nullptr;           ///< [C, spatial...]
    float* values = nullptr;          ///< the target, if it is float
    std::int64_t* classes = nullptr;  ///< the target, if it is int64
    float* scratch = nullptr;         ///< temporary memory: a row of DataPlan::scratch

    bool wantsLabels() const { return values != nullptr || classes != nullptr; }
};

/// Where one sample comes from. The box's extent is 0 for synthetic input.
struct SamplePlace {
    std::int64_t number = 0;  ///< counted from 0 over the run
    std::int64_t theCase = 0;
    volume::PatchBox box;
};

struct DrawnSample {
    SamplePlace place;
    volume::DrawnAugmentation augmentation;
};

class PatchMaker {
public:
    /// Reads the scans once for their statistics and foreground, and calls `wait(0)` (prefetcher.h) before
    /// each channel. `request` must outlive this object.
    PatchMaker(const RunRequest& request, const stack::StackInfo& info, const Wait& wait = {});

    /// Draws the case, box and augmentation of the run's n-th sample. They depend on the seed and n alone.
    DrawnSample draw(std::int64_t n) const;
    /// Writes the n-th sample to `memory`. For synthetic input, memory.input must already hold the noise. May
    /// be called by several threads at a time.
    SamplePlace make(std::int64_t n, const SampleMemory& memory, const Wait& wait) const;

    /// One line if foreground sampling was requested and a case has no foreground; std::nullopt otherwise.
    std::optional<std::string> warning() const;

    const volume::Index3& extent() const { return extent_; }  ///< voxels of a sample along i, j, k
    std::int64_t channels() const { return channels_; }
    /// The first channel of a case; null for synthetic input.
    const volume::Volume* scanOf(std::int64_t theCase) const;

private:
    struct Sample;
    /// A case of the cohort, or the scan.
    struct Case {
        CaseVolumes volumes;
        std::vector<ChannelValues> values;
        volume::Sampler sampler;
        const volume::Volume& guide() const;
    };

    Case caseOf(CaseVolumes volumes, const Wait& wait) const;
    void makeFromScan(Sample& sample) const;
    void changeNoise(Sample& sample) const;
    void read(const Sample& sample, const volume::Volume& from, volume::Interpolation interpolation,
              float outside, float* out) const;
    void setLabels(const Sample& sample, const float* from) const;

    const RunRequest& request_;
    const stack::ScanInput* scan_ = nullptr;  ///< null for synthetic input
    volume::Index3 extent_{1, 1, 1};
    std::int64_t channels_ = 0;
    std::vector<volume::Augmentation> augment_;
    std::vector<Case> cases_;
};

}  // namespace highwater::engine
