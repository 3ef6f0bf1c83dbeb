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
#include "core/engine/data/head_targets.h"
#include "core/engine/data/patch_maker.h"
#include "core/engine/data/prefetcher.h"
#include "core/engine/data/staging.h"
#include "core/engine/device/device.h"
#include "core/engine/run_request.h"
#include "core/stack/data_plan.h"
#include "core/stack/shapes.h"

/// Produces the batches of a run from scans or from noise. All values follow from the experiment's seed,
/// regardless of the number of workers: the n-th sample of a scan is a function of the seed and n alone;
/// noise and random labels are drawn in order, and noise is augmented like scans. On a GPU, samples are made
/// in host memory and copied (asynchronously with data.pinned). Noise that is neither augmented nor delayed,
/// and random labels, are drawn on the GPU by its own generator, so their values differ from those of a run
/// on the CPU. Private to core/engine.
namespace highwater::engine {

class DataSource {
public:
    /// Allocates the batch, the targets and the ring of samples that workers fill (category input), so that
    /// the peak does not depend on timing, and starts the workers. `request` must outlive this object.
    /// `check` is called at least every 20 ms while next() waits; it ends the wait by throwing.
    DataSource(const RunRequest& request, const stack::StackInfo& info, const Device& device = {},
               std::function<void()> check = {});
    DataSource(const DataSource&) = delete;
    DataSource& operator=(const DataSource&) = delete;

    /// Fills the next batch; allocates nothing. On a GPU the copies and kernels are queued in its current
    /// stream; the host waits for the stream only where samples are copied without data.pinned. Rethrows an
    /// exception thrown while a sample was made.
    void next();
    /// Stops the workers; no batch can be made afterwards.
    void stop();

    const at::Tensor& input() const {
        return input_;
    }  ///< [N, C, spatial...], float; in the memory format of step.channels_last
    const at::Tensor& target() const {
        return target_;
    }  ///< in computeLoss's layout; undefined if the loss uses none
    /// The targets of the deep supervision heads in order, each sampled to the size of its head's output,
    /// then the target itself. Empty if the experiment uses windows: each window has its own (windowed.h).
    const std::vector<at::Tensor>& targets() const { return targets_.all(); }
    /// The first sample of the latest batch; its extent is 0 for synthetic input.
    const SamplePlace& firstSample() const { return first_; }
    /// The box of that sample's patch in the scan.
    const volume::PatchBox& firstPatch() const { return first_.box; }
    /// What the user should know about the samples, in one line; std::nullopt if there is nothing to say.
    std::optional<std::string> warning() const { return maker_.warning(); }
    /// The first channel of the latest batch's first sample as a volume in the scan's geometry (1 mm voxels
    /// for synthetic input). For noise on a GPU, waits and copies it to the host.
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
    /// The contiguous tensors that samples are written to: the batch itself, ordered_, or a staging buffer.
    at::Tensor hostInput_, hostTarget_;
    at::Tensor ordered_;  ///< contiguous copy of the batch; defined only with channels_last
    std::unique_ptr<Staging>
        staging_;  ///< GPU only: stages the input, then a target that is made from the samples
    at::Tensor noiseBatch_, ringInput_, ringTarget_, scratch_;
    std::vector<SamplePlace> places_;  ///< by slot of the ring
    at::Generator noise_;              ///< draws noise on the CPU
    at::Generator drawnThere_;         ///< draws noise and labels on the GPU
    std::mt19937_64 labels_;
    std::int64_t made_ = 0;  ///< samples made so far, if there are no workers
    SamplePlace first_;
    std::unique_ptr<Prefetcher> prefetcher_;  ///< declared last: its threads use the members above
};

}  // namespace highwater::engine
