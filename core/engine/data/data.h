#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/engine/data/data_checks.h"
#include "core/engine/data/patch_maker.h"
#include "core/engine/data/prefetcher.h"
#include "core/engine/data/staging.h"
#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/engine/step/head_targets.h"
#include "core/stack/data_plan.h"
#include "core/stack/shapes.h"

/// Batches from a scan or from noise; everything from the experiment's seed, whatever the number of workers.
/// The n-th sample of a scan is a function of the seed and n alone; noise and random labels are drawn in
/// order, and augmented as scans are. On a GPU samples are made in host memory and copied (data.pinned:
/// asynchronously); noise that nobody changes or delays and random labels are drawn there, by a generator of
/// its own, and so are others than the CPU's. Private to core/engine.
namespace highwater::engine {

class DataSource {
public:
    /// Allocates the batch, the targets and the workers' ring (category input), so that the peak does not
    /// depend on timing, and starts the workers. The request must outlive it. `check` is called at least
    /// every 20 ms while next() waits, and ends that by throwing.
    DataSource(const RunRequest& request, const stack::StackInfo& info, const Device& device = {},
               std::function<void()> check = {});
    DataSource(const DataSource&) = delete;
    DataSource& operator=(const DataSource&) = delete;

    /// Fills the next batch; allocates nothing. On a GPU the work is put into its stream; the host waits for
    /// it only where samples are copied without data.pinned. Throws what making a sample threw.
    void next();
    /// Ends the workers; no batch can be made afterwards.
    void stop();

    const at::Tensor& input() const { return input_; }  ///< N, C, spatial, float; as step.channels_last says
    const at::Tensor& target() const { return target_; }  ///< as computeLoss wants it; may be undefined
    /// Each head's in order, the target sampled to its size; then the target. Empty with windows, each of
    /// which has its own (windowed.h).
    const std::vector<at::Tensor>& targets() const { return targets_.all(); }
    /// Which sample the latest batch begins with; an empty extent for synthetic input.
    const SamplePlace& firstSample() const { return first_; }
    /// Where its patch lies in the scan.
    const volume::PatchBox& firstPatch() const { return first_.box; }
    /// What the user should know of the samples; one line.
    std::optional<std::string> warning() const { return maker_.warning(); }
    /// The latest batch's first sample's first channel as a volume in the scan's geometry (synthetic: 1 mm
    /// voxels; a GPU's noise is waited for and brought back).
    volume::Volume patchVolume() const;

private:
    void makeTargets(const stack::StackInfo& info);
    void makeGenerator();
    void makeHostSide();
    void startWorkers();
    void fillOnHost();
    void makeSamples();
    void takeSamples();
    void drawNoise(at::Tensor& batch);
    void waitHere(double ms) const;
    void fillRandomLabels(std::int64_t classes);
    SampleMemory memoryOf(const at::Tensor& input, const at::Tensor& target, std::int64_t sample,
                          std::size_t maker) const;

    const RunRequest& request_;
    const stack::ScanInput* scan_ = nullptr;  ///< null for synthetic input
    Device device_;
    std::function<void()> check_;
    std::int64_t classes_ = 0;
    stack::DataPlan plan_;
    PatchMaker maker_;
    at::Tensor input_, target_;
    HeadTargets targets_;
    /// What samples are written to, contiguous: the batch itself, a copy in that order, or a staging buffer.
    at::Tensor hostInput_, hostTarget_;
    at::Tensor ordered_;                ///< the copy, where channels_last puts the batch in another order
    std::unique_ptr<Staging> staging_;  ///< GPU: input, then a target that follows from the samples
    at::Tensor noiseBatch_, ringInput_, ringTarget_, scratch_;
    std::vector<SamplePlace> places_;  ///< of the ring's samples
    at::Generator noise_;              ///< the CPU's
    at::Generator drawnThere_;         ///< the GPU's
    std::mt19937_64 labels_;
    std::int64_t made_ = 0;  ///< samples, without workers
    SamplePlace first_;
    std::unique_ptr<Prefetcher> prefetcher_;  ///< the last: its threads use what is above
};

}  // namespace highwater::engine
