#include "core/predict/inference/inference.h"

#include <algorithm>
#include <deque>

#include "core/predict/fit/assess.h"
#include "core/predict/fit/summary.h"
#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/inference/network_walk.h"

namespace highwater::predict {

namespace {

using namespace ghost;

/// Windows that are walked: the search of `benchmark`, then as many as there are buffers, then the last ones.
constexpr std::int64_t kWindows = 8;
/// The window in use, two in the queue, and one that the producing thread holds.
constexpr std::size_t kWindowsHeld = 4;
/// Forwards of mirrored copies that are walked; the others are like the last one.
constexpr int kMirrored = 2;

/// nnUNetPredictor.predict_sliding_window_return_logits.
class SlidingWindows {
public:
    SlidingWindows(Machine& machine, InferenceNetwork& network, const Dims& window, const InferenceCase& its)
        : machine_(machine), network_(network), window_(window), its_(its), autocast_(machine) {}

    void run() {
        if (its_.onDevice) {
            makeBuffers();
        }
        const std::int64_t windows = std::min(its_.windows, kWindows);
        std::int64_t cut = 0;
        for (std::int64_t w = 0; w < windows; ++w) {
            for (; cut < windows && queue_.size() < kWindowsHeld; ++cut) {
                machine_.label("window");
                queue_.push_back(input(window_, DType::Float32));
            }
            if (w < Walk::kSteps) {
                machine_.beginStep(static_cast<int>(w));
            }
            inUse_.reset();
            Tensor logits = predict(queue_.front());
            if (its_.onDevice) {
                prediction_ = std::move(logits);  // replaces the one before
            }
            inUse_ = std::move(queue_.front());
            queue_.pop_front();
        }
        if (its_.onDevice) {
            checkLogits();
        }
    }

private:
    Tensor input(const Dims& dims, DType type) {
        Tensor made = machine_.empty(dims, type);
        machine_.retag(made->storage, Category::Input);
        return made;
    }

    Tensor activation(const Dims& dims, DType type) {
        Tensor made = machine_.empty(dims, type);
        machine_.retag(made->storage, Category::Activations);
        return made;
    }

    Dims volume(std::int64_t channels) const {
        Dims dims{channels};
        for (const std::int64_t size : its_.size) {
            dims[dims.rank++] = size;
        }
        return dims;
    }

    void makeBuffers() {
        machine_.label("image");
        image_ = input(volume(its_.channels), DType::Float32);
        machine_.label("logits");
        logits_ = activation(volume(its_.heads), DType::Float16);
        machine_.label("sum of weights");
        sum_ = activation(volume(1), DType::Float16);
        machine_.label("gaussian");
        Dims weights = window_;
        weights[1] = 1;
        gaussian_ = input(weights, DType::Float16);
    }

    /// _internal_maybe_mirror_and_predict.
    Tensor predict(const Tensor& window) {
        Tensor prediction = network_.forward(window);
        for (int i = 0; its_.mirror && i < kMirrored; ++i) {
            machine_.label("flip");
            Tensor flipped = machine_.like(window);
            Tensor logits = network_.forward(flipped);
            flipped.reset();
            machine_.label("flip");
            const Tensor back = machine_.like(logits);
        }
        return prediction;
    }

    /// torch.any(torch.isinf(logits)).
    void checkLogits() {
        machine_.label("isinf");
        const Tensor absolute = machine_.like(logits_);
        const Tensor infinite = machine_.empty(logits_->dims, DType::Bool);
    }

    Machine& machine_;
    InferenceNetwork& network_;
    Dims window_;
    const InferenceCase& its_;
    Autocast autocast_;
    Tensor image_, logits_, sum_, gaussian_, prediction_, inUse_;
    std::deque<Tensor> queue_;
};

/// The peaks of the whole walk: a step has no other meaning here than to tell the first window from the rest.
void fillPeaks(const Walk& walk, Prediction& prediction) {
    Live live(walk);
    Peak peak;
    for (std::size_t i = 0; i < walk.events.size(); ++i) {
        live.pass(walk.events[i]);
        raise(prediction.peakAllocated, live.total());
        peak.after(walk.events[i], i, live);
    }
    peak.fill(prediction);
    prediction.convolutions = walk.convolutionPasses;
    prediction.withoutRow = walk.passesWithoutRow;
    prediction.asked = walk.passesAsked;
    prediction.workspaces = walk.workspaces;
    prediction.guesses = walk.guesses;
}

}  // namespace

base::Result<Prediction> predictInference(const stack::Experiment& experiment, const stack::StackInfo& info,
                                          const Target& target, const InferenceCase& its) {
    if (!target.gpu) {
        return base::Error{"inference is predicted for a GPU; name its profile, such as rtx4090"};
    }
    HIGHWATER_TRY(stack::checkPredictable(experiment, info, true));
    Target settled = target;
    settled.settings = cudaSettings(experiment);
    settled.inPython = true;
    try {
        Machine machine(settled, info.layers.size());
        const GradMode noGraph(machine, false);
        InferenceNetwork network(experiment, info, machine);
        SlidingWindows(machine, network, Dims(info.input), its).run();
        machine.finish();
        Prediction prediction;
        fillPeaks(machine.walk, prediction);
        prediction.guesses.insert(prediction.guesses.end(), target.notes.begin(), target.notes.end());
        prediction.compared = target.compared;
        assessGpu(machine.walk, settled, prediction);
        prediction.maxMemoryAllocated = wholeBlocks(machine.walk, settled, prediction);
        return prediction;
    } catch (const ghost::TooMuch&) {
        return base::Error{"the case needs more than 2^62 bytes"};
    }
}

}  // namespace highwater::predict
