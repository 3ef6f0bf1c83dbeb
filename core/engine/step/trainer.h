#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/engine/data/data.h"
#include "core/engine/ranks/data_parallel.h"
#include "core/engine/step/executor.h"
#include "core/engine/step/optimizers.h"
#include "core/engine/step/precision.h"
#include "core/engine/step/windowed.h"

/// All objects of a run that allocate tensors, and one training step. Private to core/engine.
namespace highwater::engine {

/// The losses of one step's micro-batches. On a GPU they are copied to the host asynchronously.
class StepLoss {
public:
    StepLoss() = default;
    StepLoss(StepLoss&&) = default;
    StepLoss& operator=(StepLoss&&) = default;
    ~StepLoss();

    /// Adds one micro-batch's loss, a scalar; on a GPU it starts the copy.
    void add(const at::Tensor& loss);
    /// The mean loss. On a GPU it may be called only after the device has finished the step.
    double mean() const;

private:
    double sum_ = 0;                  ///< sum of the losses on the CPU
    std::vector<at::Tensor> coming_;  ///< losses from a GPU in pinned memory, one per micro-batch
    std::size_t count_ = 0;
    Device device_;
};

/// The input of one forward, and the target of each of its outputs.
struct TrainingPart {
    at::Tensor input;
    std::vector<at::Tensor> targets;
};

class Trainer {
public:
    /// Allocates all tensors, in the order of the members. All arguments but `device` must outlive this
    /// object.
    Trainer(const RunRequest& request, const stack::StackInfo& info, const Device& device, Recorder& recorder,
            Accounting& books);

    /// Runs forward, loss, backward and the optimizer's update on the current batch of data().
    StepLoss pass();
    DataSource& data() { return data_; }
    /// The blended output of the last batch, if the experiment uses windows and does not train; otherwise
    /// undefined.
    at::Tensor blended() const { return windowed_ ? windowed_->blended() : at::Tensor(); }
    /// By layer: the possible sizes in bytes of its convolutions' results, forward and backward, at 2 and 4
    /// bytes per element.
    std::vector<std::vector<Bytes>> resultSizes() const;
    /// Steps whose update was skipped because fp16 gradients were not finite.
    std::int64_t skippedSteps() const { return precision_.skipped(); }
    const std::vector<at::Tensor>& parameters() const { return network_.parameters(); }
    /// Frees the step's tensors; may also be called after an error.
    void abandon();

private:
    class Backend;
    TrainingPart asRead(TrainingPart part) const;

    const stack::Experiment& experiment_;
    const stack::StackInfo& info_;
    Recorder& recorder_;
    Program program_;
    Network network_;
    std::unique_ptr<DataParallel> ranks_;  ///< null: this process trains alone
    DataSource data_;
    std::optional<Windowed> windowed_;
    MixedPrecision precision_;
    Optimizer optimizer_;
    Executor executor_;
};

/// The operations that step::runStep needs from a backend.
class Trainer::Backend {
public:
    using Tensor = at::Tensor;
    using Part = TrainingPart;

    Backend(Trainer& trainer, StepLoss& loss) : trainer_(trainer), loss_(loss) {}

    static c10::AutoGradMode gradMode(bool on) { return c10::AutoGradMode(on); }
    MixedPrecision::Autocast autocast() const { return MixedPrecision::Autocast(trainer_.precision_); }
    void enter(Phase phase, int layer) { trainer_.recorder_.enter(phase, layer); }
    std::int64_t windows() const { return trainer_.windowed_ ? trainer_.windowed_->count() : 0; }
    Part microBatch(std::int64_t first, std::int64_t samples) const;
    Part window(std::int64_t first, std::int64_t number);
    void beforeForward() {
        if (trainer_.ranks_) {
            enter(Phase::Forward, -1);
            trainer_.ranks_->beforeForward();
        }
    }
    void beforeBackward() {
        if (trainer_.ranks_) {
            trainer_.ranks_->beforeBackward();
        }
    }
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
