#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engine/data/patch_values.h"
#include "core/engine/data/prefetcher.h"
#include "core/engine/run/runner.h"
#include "core/stack/data_plan.h"
#include "core/volume/augment.h"
#include "core/volume/sampler.h"

/// One sample of a run. Plain C++. Private to core/engine.
namespace highwater::engine {

/// Whether a label map is part of the data.
bool needsLabels(const RunRequest& request);
/// A cohort's cases, or a scan as the one case that it is; none for synthetic input.
std::vector<CaseVolumes> casesOf(const RunRequest& request);

/// Where a sample is written, each a contiguous part of a tensor; a target that does not follow from the
/// sample has none.
struct SampleMemory {
    float* input = nullptr;           ///< C, spatial
    float* values = nullptr;          ///< the target where it is float
    std::int64_t* classes = nullptr;  ///< the target where it is int64
    float* scratch = nullptr;         ///< as DataPlan::scratch says

    bool wantsLabels() const { return values != nullptr || classes != nullptr; }
};

/// Which part of the data a sample is; an empty extent for synthetic input.
struct SamplePlace {
    std::int64_t number = 0;  ///< of the run's samples
    std::int64_t theCase = 0;
    volume::PatchBox box;
};

struct DrawnSample {
    SamplePlace place;
    volume::DrawnAugmentation augmentation;
};

class PatchMaker {
public:
    /// Looks through the scans once, asking `wait` (prefetcher.h) before each. The request must outlive it.
    PatchMaker(const RunRequest& request, const stack::StackInfo& info, const Wait& wait = {});

    /// What the n-th sample of the run is, which follows from the seed and n alone.
    DrawnSample draw(std::int64_t n) const;
    /// Writes that sample; for synthetic input its noise must be there. Several threads may make samples at a
    /// time.
    SamplePlace make(std::int64_t n, const SampleMemory& memory, const Wait& wait) const;

    /// One line where foreground was asked for and there is none.
    std::optional<std::string> warning() const;

    const volume::Index3& extent() const { return extent_; }  ///< of a sample's channel
    std::int64_t channels() const { return channels_; }
    /// The first channel of a case; null for synthetic input.
    const volume::Volume* scanOf(std::int64_t theCase) const;

private:
    struct Sample;
    /// One of the cohort's, or the only one.
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
