#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <optional>
#include <vector>

#include "core/engine/data/data.h"
#include "core/engine/step/executor.h"
#include "core/engine/step/optimizers.h"
#include "core/engine/step/precision.h"
#include "core/engine/step/windowed.h"

/// Everything that a run allocates tensors for, and one training step of it. Private to core/engine.
namespace highwater::engine {

/// The losses of one step's micro-batches, which a GPU brings to the host in its own time.
class StepLoss {
public:
    StepLoss() = default;
    StepLoss(StepLoss&&) = default;
    StepLoss& operator=(StepLoss&&) = default;
    ~StepLoss();

    /// Starts the copy of one micro-batch's loss, a scalar.
    void add(const at::Tensor& loss);
    /// Their mean. On a GPU only after the device is through with the step.
    double mean() const;

private:
    double sum_ = 0;                  ///< of those that are here
    std::vector<at::Tensor> coming_;  ///< page-locked, one a micro-batch
    std::size_t count_ = 0;
    Device device_;
};

class Trainer {
public:
    /// The order of the members is the order of allocation.
    Trainer(const RunRequest& request, const stack::StackInfo& info, const Device& device, Recorder& recorder,
            Accounting& books);

    /// Forward, loss, backward and update with the batch that data() has.
    StepLoss pass();
    DataSource& data() { return data_; }
    /// Not training, with windows: the last batch's output, put together from theirs; otherwise undefined.
    at::Tensor blended() const { return windowed_ ? windowed_->blended() : at::Tensor(); }
    /// The bytes that the results of each layer's convolutions have, at 2 and 4 bytes an element.
    std::vector<std::vector<Bytes>> resultSizes() const;
    /// Steps whose update was left out since fp16 gradients were not finite.
    std::int64_t skippedSteps() const { return precision_.skipped(); }
    /// Lets go of what a step holds; after an error, too.
    void abandon();

private:
    class Backend;

    const stack::Experiment& experiment_;
    const stack::StackInfo& info_;
    Recorder& recorder_;
    Program program_;
    Network network_;
    DataSource data_;
    std::optional<Windowed> windowed_;
    MixedPrecision precision_;
    Optimizer optimizer_;
    Executor executor_;
};

/// What step::runStep asks of a backend.
class Trainer::Backend {
public:
    using Tensor = at::Tensor;
    struct Part {
        at::Tensor input;
        std::vector<at::Tensor> targets;
    };

    Backend(Trainer& trainer, StepLoss& loss) : trainer_(trainer), loss_(loss) {}

    static c10::AutoGradMode gradMode(bool on) { return c10::AutoGradMode(on); }
    MixedPrecision::Autocast autocast() const { return MixedPrecision::Autocast(trainer_.precision_); }
    void enter(Phase phase, int layer) { trainer_.recorder_.enter(phase, layer); }
    std::int64_t windows() const { return trainer_.windowed_ ? trainer_.windowed_->count() : 0; }
    Part microBatch(std::int64_t first, std::int64_t samples) const;
    Part window(std::int64_t first, std::int64_t number);
    void beginBlending() { trainer_.windowed_->begin(); }
    void blend(const at::Tensor& output) { trainer_.windowed_->blend(output); }
    void endBlending() { trainer_.windowed_->finish(); }
    at::Tensor jointLoss(std::vector<at::Tensor> outputs, const std::vector<at::Tensor>& targets) const;
    at::Tensor scaled(const at::Tensor& loss) { return trainer_.precision_.scaled(loss); }
    void takeLoss(const at::Tensor& loss) { loss_.add(loss); }
    void update();

private:
    Trainer& trainer_;
    StepLoss& loss_;
};

}  // namespace highwater::engine
