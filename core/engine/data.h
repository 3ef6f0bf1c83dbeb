#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <memory>
#include <random>
#include <vector>

#include "core/base/result.h"
#include "core/engine/device.h"
#include "core/engine/head_targets.h"
#include "core/engine/runner.h"
#include "core/engine/staging.h"
#include "core/stack/shapes.h"
#include "core/volume/patch.h"

/// Batches from a scan or from noise; everything from the experiment's seed. On a GPU patches are cut into
/// host memory and copied (data.pinned: asynchronously); noise and random labels are drawn there, by a
/// generator of its own, and so are others than the CPU's. Private to core/engine.
namespace highwater::engine {

/// Whether the request's volumes are what its experiment needs; errors name the field.
base::Status checkVolumes(const RunRequest& request, const stack::StackInfo& info);
/// What a user should know before the run (a patch larger than the scan, ...).
std::vector<std::string> dataWarnings(const RunRequest& request, const stack::StackInfo& info);
/// Whether a label map is part of the data.
bool needsLabels(const RunRequest& request);

class DataSource {
public:
    /// Allocates the batch and the target (category input), so that the peak does not depend on timing. The
    /// request must outlive it.
    DataSource(const RunRequest& request, const stack::StackInfo& info, const Device& device = {});

    /// Fills the next batch; allocates nothing. On a GPU the work is put into its stream; the host waits for
    /// it only where a scan is copied without data.pinned.
    void next();

    const at::Tensor& input() const { return input_; }  ///< N, C, spatial, float; as step.channels_last says
    const at::Tensor& target() const { return target_; }  ///< as computeLoss wants it; may be undefined
    /// Each head's in order, the target sampled to its size; then the target. Empty with windows, each of
    /// which has its own (windowed.h).
    const std::vector<at::Tensor>& targets() const { return targets_.all(); }
    /// Where the first sample's patch lies in the scan; empty extent for synthetic input.
    const volume::PatchBox& firstPatch() const { return firstPatch_; }
    /// The latest batch's first sample's first channel as a volume in the scan's geometry (synthetic: 1 mm
    /// voxels; a GPU's noise is waited for and brought back).
    volume::Volume patchVolume() const;

private:
    struct Channel {
        float offset = 0, scale = 1;  ///< normalised = (value - offset) * scale
        bool clamp = false;           ///< to 0..1
        float outside = 0;            ///< what pads, in the scan's values
    };
    void makeTargets(const stack::StackInfo& info);
    void makeHostSide();
    void readChannels();
    void fillFromScan();
    void fillScanSample(std::int64_t sample);
    void fillRandomLabels(std::int64_t classes);
    void thresholdNoise();
    void setLabel(std::int64_t index, std::int64_t label);
    void fillLabels(std::int64_t sample, const volume::PatchBox& box);
    volume::PatchBox draw();

    const RunRequest& request_;
    const stack::ScanInput* scan_ = nullptr;  ///< null for synthetic input
    Device device_;
    std::int64_t classes_ = 0;
    at::Tensor input_, target_;
    HeadTargets targets_;
    /// What the scan is written to, contiguous: the batch itself, a copy in that order, or a staging buffer.
    at::Tensor hostInput_, hostTarget_;
    at::Tensor ordered_;                ///< the copy, where channels_last puts the batch in another order
    std::unique_ptr<Staging> staging_;  ///< GPU and scan: input, then a target that follows from the scan
    at::Generator noise_;
    std::mt19937_64 random_;
    std::vector<Channel> channels_;
    double foreground_ = 0;
    volume::Index3 extent_{};
    volume::PatchBox firstPatch_;
    std::vector<float> scratch_;
};

}  // namespace highwater::engine
