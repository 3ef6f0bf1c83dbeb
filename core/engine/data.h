#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <random>
#include <vector>

#include "core/base/result.h"
#include "core/engine/runner.h"
#include "core/stack/shapes.h"
#include "core/volume/patch.h"

/// Batches from a scan or from noise; everything from the experiment's seed. Private to core/engine.
namespace highwater::engine {

/// Whether the request's volumes are what its experiment needs; errors name the field.
base::Status checkVolumes(const RunRequest& request, const stack::StackInfo& info);
/// What a user should know before the run (a patch larger than the scan, ...).
std::vector<std::string> dataWarnings(const RunRequest& request);

class DataSource {
public:
    /// Allocates the batch and the target (category input), so that the peak does not depend on timing. The
    /// request must outlive it.
    DataSource(const RunRequest& request, const stack::StackInfo& info);

    /// Fills the next batch; allocates nothing.
    void next();

    const at::Tensor& input() const { return input_; }  ///< N, C, spatial, float
    const at::Tensor& target() const {
        return targets_.back();
    }  ///< as computeLoss wants it; may be undefined
    /// Each head's in order, the target sampled to its size; then the target. Those of its size are itself.
    const std::vector<at::Tensor>& targets() const { return targets_; }
    /// Where the first sample's patch lies in the scan; empty extent for synthetic input.
    const volume::PatchBox& firstPatch() const { return firstPatch_; }
    /// The first sample's first channel as a volume in the scan's geometry (synthetic: 1 mm voxels).
    volume::Volume patchVolume() const;

private:
    struct Channel {
        float offset = 0, scale = 1;  ///< normalised = (value - offset) * scale
        bool clamp = false;           ///< to 0..1
        float outside = 0;            ///< what pads, in the scan's values
    };
    void fillScanSample(std::int64_t sample);
    void fillRandomLabels(std::int64_t classes);
    void sampleHeadTargets();
    void setLabel(std::int64_t index, std::int64_t label);
    void fillLabels(std::int64_t sample, const volume::PatchBox& box);
    volume::PatchBox draw();

    const RunRequest& request_;
    const stack::ScanInput* scan_ = nullptr;  ///< null for synthetic input
    std::int64_t classes_ = 0;
    at::Tensor input_, target_;
    std::vector<at::Tensor> targets_;
    at::Generator noise_;
    std::mt19937_64 random_;
    std::vector<Channel> channels_;
    double foreground_ = 0;
    volume::Index3 extent_{};
    volume::PatchBox firstPatch_;
    std::vector<float> scratch_;
};

}  // namespace highwater::engine
