#pragma once

#include <vector>

#include "core/engine/patch_values.h"
#include "core/engine/prefetcher.h"
#include "core/engine/runner.h"
#include "core/stack/data_plan.h"
#include "core/volume/augment.h"

/// One sample of a run. Plain C++. Private to core/engine.
namespace highwater::engine {

/// Whether a label map is part of the data.
bool needsLabels(const RunRequest& request);

/// Where a sample is written, each a contiguous part of a tensor; a target that does not follow from the
/// sample has none.
struct SampleMemory {
    float* input = nullptr;           ///< C, spatial
    float* values = nullptr;          ///< the target where it is float
    std::int64_t* classes = nullptr;  ///< the target where it is int64
    float* scratch = nullptr;         ///< as DataPlan::scratch says

    bool wantsLabels() const { return values != nullptr || classes != nullptr; }
};

class PatchMaker {
public:
    /// Looks through the scans once. The request must outlive it.
    PatchMaker(const RunRequest& request, const stack::StackInfo& info);

    /// Writes the n-th sample of the run, which follows from the seed and n alone; for synthetic input its
    /// noise must be there. Several threads may make samples at a time. Gives where the patch lies in the
    /// scan; empty extent for synthetic input.
    volume::PatchBox make(std::int64_t n, const SampleMemory& memory, const Wait& wait) const;

    const volume::Index3& extent() const { return extent_; }  ///< of a sample's channel
    std::int64_t channels() const { return channels_; }

private:
    struct Sample;
    void makeFromScan(Sample& sample) const;
    void changeNoise(Sample& sample) const;
    volume::PatchBox draw(std::mt19937_64& random) const;
    void read(const Sample& sample, const volume::Volume& from, volume::Interpolation interpolation,
              float outside, float* out) const;
    void setLabels(const Sample& sample, const float* from) const;

    const RunRequest& request_;
    const stack::ScanInput* scan_ = nullptr;  ///< null for synthetic input
    volume::Index3 extent_{1, 1, 1};
    std::int64_t channels_ = 0;
    std::array<double, 3> spacing_{1, 1, 1};
    std::vector<volume::Augmentation> augment_;
    std::vector<ChannelValues> values_;
    double foreground_ = 0;
};

}  // namespace highwater::engine
