#include "core/predict/ghost/walk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/predict/ghost/data_parallel.h"
#include "core/predict/ghost/layers.h"
#include "core/predict/ghost/python.h"
#include "core/stack/data_plan.h"
#include "core/stack/ranks.h"
#include "core/stack/shapes.h"
#include "core/stack/windows.h"
#include "core/step/joint_loss.h"
#include "core/step/training.h"

namespace highwater::predict {

namespace {

using namespace ghost;

/// core/engine's Trainer on ghosts, and the backend that step::runStep requires. The allocations before the
/// first step, and their order, mirror core/engine/step/trainer.h: change both together.
class Trainer {
public:
    Trainer(const stack::Experiment& experiment, const stack::StackInfo& info, Machine& machine)
        : experiment_(experiment), info_(info), machine_(machine), program_(makeProgram(experiment, info)) {
        makeNetwork();
        joinRanks();
        makeData();
        states_.resize(parameters_.size());
        schedule_.emplace(program_, experiment.step.train, GhostBackend(program_, info_, layers_, machine_));
    }

    void step() {
        stack::Step walked = experiment_.step;
        walked.microBatches = partsWalked();
        walked.batchSize = samples() * walked.microBatches;
        machine_.walk.parts =
            static_cast<double>(experiment_.step.microBatches * std::max<std::int64_t>(1, windows_));
        step::runStep(walked, *schedule_, *this);
    }

    // --- the backend of step::runStep
    using Tensor = ghost::Tensor;
    struct Part {
        Tensor input;
        std::vector<Tensor> targets;
        struct Once {
            Machine& machine;
            ~Once() { machine.repeats = 1; }
        } once;  ///< its destructor resets the repetitions of a micro-batch or window
    };

    GradMode gradMode(bool on) { return {machine_, on}; }
    Autocast autocast() { return Autocast(machine_); }
    void enter(Phase phase, int layer) { machine_.enter(phase, layer); }
    /// The number of windows walked; the last one represents all later ones.
    std::int64_t windows() const { return std::min(windows_, Walk::kWindowsWalked); }
    Part microBatch(std::int64_t first, std::int64_t samples) {
        machine_.repeats = repeatsOfPart(first);
        Part part{slice(input_, samples), {}, {machine_}};
        for (const Tensor& target : targets_) {
            part.targets.push_back(slice(target, samples));
        }
        readAs(part);
        return part;
    }
    Part window(std::int64_t first, std::int64_t number) {
        machine_.repeats = repeatsOfPart(first);
        if (number + 1 == windows()) {
            machine_.repeats *= static_cast<double>(windows_ - number);
        }
        machine_.op("window", "copy", 2 * static_cast<double>(window_->bytes()));
        Part part{window_, targets_, {machine_}};
        readAs(part);
        return part;
    }
    void beforeForward() {
        if (ranks_) {
            enter(Phase::Forward, -1);
            ranks_->beforeForward();
        }
    }
    void beforeBackward() {
        if (ranks_) {
            ranks_->beforeBackward();
        }
    }
    static void beginBlending() {}
    void blend(const Tensor& output) { blendOp(output); }
    void endBlending() { blendOp(blended_); }
    Tensor jointLoss(std::vector<Tensor> outputs, const std::vector<Tensor>& targets) {
        struct Losses {
            Machine& machine;
            stack::Loss kind;
            Tensor loss(const Tensor& output, const Tensor& target) const {
                return machine.ops.loss(machine, kind, output, target);
            }
            Tensor weigh(const Tensor& value, double) const { return machine.ops.weigh(machine, value); }
            Tensor join(const Tensor& sum, const Tensor& value) const {
                return machine.ops.join(machine, sum, value);
            }
        };
        if (machine_.target.inPython) {
            return criterion(std::move(outputs), targets.back());
        }
        return step::jointLoss(Losses{machine_, experiment_.loss}, std::move(outputs), targets,
                               program_.weights);
    }
    Tensor scaled(const Tensor& loss) {
        return machine_.ops.scaled != nullptr ? machine_.ops.scaled(machine_, loss) : loss;
    }
    void takeLoss(const Tensor& loss) {
        machine_.firstGradient.reset();
        if (machine_.target.inPython) {
            loss_ = loss->storage;
        }
    }
    void update() {
        const GradMode noGraph(machine_, false);
        machine_.ops.optimize(machine_, experiment_, parameters_, states_);
        loss_.reset();
        outputs_.clear();
        if (experiment_.step.keepGradients) {
            return;  // setting gradients to zero allocates nothing
        }
        for (Parameter* parameter : parameters_) {
            parameter->gradient.reset();
        }
    }

private:
    /// The program's variables: `outputs` until the loss is computed, with keep_output until the step's end.
    Tensor criterion(std::vector<Tensor> outputs, const Tensor& target) {
        const bool kept = experiment_.step.keepOutput && experiment_.step.microBatches == 1 && windows_ == 0;
        for (const Tensor& output : outputs) {
            if (kept) {
                outputs_.push_back(output->storage);
            }
        }
        return ghost::criterion(machine_, experiment_.loss, outputs, target,
                                experiment_.step.softTargets ? info_.targetClasses : 0);
    }

    /// As Trainer::asRead in core/engine/step/trainer.cpp.
    void readAs(Part& part) {
        const DType type = machine_.modelType();
        const auto converted = [&](const Tensor& tensor) {
            if (!tensor || tensor->dtype != DType::Float32 || tensor->dtype == type) {
                return tensor;
            }
            machine_.op("cast", "copy", 1.5 * static_cast<double>(tensor->bytes()));
            Tensor made = makeInput(tensor->dims, type);
            made->channelsLast = tensor->channelsLast;
            return made;
        };
        const Tensor given = part.input;
        part.input = converted(given);
        for (Tensor& target : part.targets) {
            if (experiment_.step.softTargets && !machine_.target.inPython) {
                stack::Shape shape = target->dims.shape();
                shape.insert(shape.begin() + 1, info_.targetClasses);
                target = makeInput(Dims(shape), type);
                machine_.op("one_hot", "elementwise", 2 * static_cast<double>(target->bytes()));
            } else {
                target = target == given ? part.input : converted(target);
            }
        }
    }

    void makeNetwork() {
        layers_.reserve(program_.steps.size());
        machine_.label("parameters");
        for (const stack::ProgramStep& step : program_.steps) {
            const auto layer = static_cast<std::size_t>(step.layer);
            machine_.enter(Phase::Setup, step.layer);
            if (step.owner != static_cast<int>(layers_.size())) {
                layers_.emplace_back();  // it shares another step's tensors
                continue;
            }
            const Bytes before = machine_.live(Category::Parameters);
            layers_.push_back(makeLayer(machine_, *step.op, info_.layers[layer].input));
            for (const auto& parameter : layers_.back().parameters) {
                parameters_.push_back(parameter.get());
            }
            machine_.walk.parameterBytes[layer] = machine_.live(Category::Parameters) - before;
        }
        machine_.enter(Phase::Setup, -1);
    }

    void joinRanks() {
        const Ranks& ranks = machine_.target.ranks;
        if (ranks.count < 2) {
            return;
        }
        std::vector<Tensor> buffers;
        for (const LayerState& layer : layers_) {
            if (layer.runningMean) {
                buffers.insert(buffers.end(), {layer.runningMean, layer.runningVar});
            }
        }
        ranks_.emplace(machine_, ranks, parameters_, std::move(buffers));
        machine_.walk.guesses.emplace_back(
            "times do not include the exchange of gradients between the ranks");
    }

    Tensor makeInput(const Dims& dims, DType type) {
        Tensor made = machine_.empty(dims, type);
        machine_.retag(made->storage, Category::Input);
        return made;
    }

    /// As core/engine/data/data.cpp: the input, the target, and the target at each head's size.
    void makeData() {
        machine_.label("data");
        input_ = makeInput(Dims(info_.data), DType::Float32);
        input_->channelsLast =
            machine_.cuda && machine_.target.settings.channelsLast && input_->dims.rank >= 4;
        const stack::DataPlan plan = stack::dataPlan(experiment_, info_, false);
        Tensor target;
        if (plan.targetIsInput) {
            target = input_;
        } else if (!plan.target.empty()) {
            target = makeInput(Dims(plan.target), plan.classLabels ? DType::Int64 : DType::Float32);
        }
        if (!experiment_.windows) {
            makeTargets(target);
        }
        makeRing(plan);
        if (experiment_.windows) {
            makeWindows(target);
        }
    }

    /// For a run on a GPU the ring is in host memory.
    void makeRing(const stack::DataPlan& plan) {
        const stack::Data& data = experiment_.data;
        if (data.workers > 0 || data.readDelayMs > 0 || !data.augment.empty()) {
            machine_.walk.guesses.emplace_back(
                "times do not include reading and augmenting samples; workers do that while the steps run");
        }
        if (machine_.cuda) {
            return;
        }
        for (const stack::Shape* const shape :
             {&plan.noise, &plan.ringInput, &plan.ringTarget, &plan.scratch}) {
            if (!shape->empty()) {
                kept_.push_back(makeInput(Dims(*shape), shape == &plan.ringTarget && plan.classLabels
                                                            ? DType::Int64
                                                            : DType::Float32));
            }
        }
    }

    void makeTargets(const Tensor& target) {
        for (const stack::LayerInfo& layer : info_.layers) {
            if (layer.type == "head") {
                targets_.push_back(target && !machine_.target.inPython ? targetOfSize(target, layer.output)
                                                                       : target);
            }
        }
        targets_.push_back(target);
    }

    std::int64_t samples() const { return experiment_.step.batchSize / experiment_.step.microBatches; }
    std::int64_t partsWalked() const { return std::min(experiment_.step.microBatches, Walk::kPartsWalked); }
    /// How many micro-batches are represented by the one that begins with this sample.
    double repeatsOfPart(std::int64_t first) const {
        const std::int64_t left = experiment_.step.microBatches - partsWalked();
        return first / samples() == Walk::kPartsWalked - 2 ? static_cast<double>(left + 1) : 1;
    }

    /// A tensor like `whole`, but of a window's size (core/engine/step/windowed.cpp).
    Tensor windowOf(const Tensor& whole) {
        Dims dims(stack::withSizesOf(whole->dims.shape(), info_.input));
        dims[0] = samples();
        Tensor made = makeInput(dims, whole->dtype);
        made->channelsLast = whole->channelsLast;
        return made;
    }

    static Dims spatialOf(const stack::Shape& shape) {
        return Dims(std::vector<std::int64_t>(shape.begin() + 2, shape.end()));
    }

    void makeWindows(const Tensor& target) {
        windows_ = stack::windowGrid(*experiment_.windows, info_.data)->count();
        window_ = windowOf(input_);
        makeTargets(!target ? target : target == input_ ? window_ : windowOf(target));
        kept_.insert(kept_.end(), {input_, target});
        if (experiment_.step.train) {
            return;
        }
        kept_.push_back(makeInput(spatialOf(info_.input), DType::Float32));
        kept_.push_back(makeInput(spatialOf(info_.data), DType::Float32));
        Dims dims(info_.data);
        dims[1] = info_.output[1];
        blended_ = machine_.empty(dims);
        machine_.retag(blended_->storage, Category::Activations);
    }

    Tensor targetOfSize(const Tensor& target, const stack::Shape& head) {
        const Dims dims(stack::withSizesOf(target->dims.shape(), head));
        if (dims == target->dims) {
            return target;
        }
        Tensor made = makeInput(dims, target->dtype);
        if (machine_.cuda) {
            makePlaces(target->dims, dims, static_cast<int>(head.size()) - 2);
        }
        return made;
    }

    /// As core/engine/data/target_sampler.cpp: allocates a table if the sizes do not divide each other.
    void makePlaces(const Dims& from, const Dims& to, int spatial) {
        Dims places;
        bool divides = true;
        for (int axis = to.rank - spatial; axis < to.rank; ++axis) {
            places[places.rank++] = to[axis];
            divides = divides && from[axis] % to[axis] == 0;
        }
        if (!divides) {
            places_.push_back(makeInput(places, DType::Int64));
        }
    }

    static Tensor slice(const Tensor& of, std::int64_t samples) {
        if (!of || of->dims[0] == samples) {
            return of;
        }
        Dims dims = of->dims;
        dims[0] = samples;
        return Machine::view(of, dims, true);
    }

    void blendOp(const Tensor& output) {
        machine_.op("blend", "elementwise", 3 * static_cast<double>(output->bytes()));
    }

    const stack::Experiment& experiment_;
    const stack::StackInfo& info_;
    Machine& machine_;
    stack::Program program_;
    std::vector<LayerState> layers_;
    std::vector<Parameter*> parameters_;
    std::optional<DataParallel> ranks_;
    Tensor input_;
    std::vector<Tensor> targets_, places_;
    std::int64_t windows_ = 0;  ///< windows per batch; 0 if the batch is not divided into windows
    Tensor window_, blended_;
    std::vector<Tensor> kept_;  ///< the workers' ring, the data that windows are cut from, and the weights of
                                ///< windows
    std::vector<OptimizerState> states_;
    std::optional<step::Schedule<GhostBackend>> schedule_;
    /// In Python: the variables `loss` and `output`, which live until the update is done.
    StoragePtr loss_;
    std::vector<StoragePtr> outputs_;
};

}  // namespace

base::Result<Walk> walk(const stack::Experiment& experiment, const stack::StackInfo& info,
                        const Target& target) {
    HIGHWATER_TRY(stack::checkPredictable(experiment, info, target.gpu.has_value()));
    if (target.ranks.count > 1) {
        HIGHWATER_TRY(stack::checkRanks(experiment, info));
    }
    Target settled = target;
    settled.settings = cudaSettings(experiment);
    const auto runSteps = [&](Machine& machine, int steps) {
        Trainer trainer(experiment, info, machine);
        if (machine.ops.starts != nullptr) {
            machine.ops.starts(machine);
        }
        for (int step = 0; step < steps; ++step) {
            machine.beginStep(step);
            trainer.step();
        }
        machine.finish();
    };
    try {
        Machine machine(settled, info.layers.size());
        if (settled.inPython) {
            Machine learner(settled, info.layers.size());
            learner.learnsStops = true;
            runSteps(learner, 1);
            machine.stops = std::move(learner.stops);
        }
        runSteps(machine, Walk::kSteps);
        return std::move(machine.walk);
    } catch (const ghost::TooMuch&) {
        return base::Error{"the experiment needs more than 2^62 bytes; make the patch or the batch smaller"};
    }
}

std::vector<ConvKey> convolutionsOf(const stack::Experiment& experiment, const stack::StackInfo& info) {
    std::vector<ConvKey> keys;
    if (const auto walked = walk(experiment, info, {})) {
        for (const Walk::Convolution& each : walked->convolutions) {
            keys.push_back(each.key);
        }
    }
    return keys;
}

}  // namespace highwater::predict
