#include "core/predict/walk.h"

#include <algorithm>

#include "core/predict/ghost_layers.h"
#include "core/stack/data_plan.h"
#include "core/stack/support.h"
#include "core/stack/windows.h"

namespace highwater::predict {

namespace {

using namespace ghost;

/// core/engine's Trainer and Run::pass over ghosts: change both together.
class Trainer {
public:
    Trainer(const stack::Experiment& experiment, const stack::StackInfo& info, Machine& machine)
        : experiment_(experiment), info_(info), machine_(machine), program_(makeProgram(experiment, info)) {
        makeNetwork();
        makeData();
        states_.resize(parameters_.size());
        schedule_.emplace(program_, experiment.step.train, GhostBackend(program_, info_, layers_, machine_));
    }

    void step() {
        const stack::Step& step = experiment_.step;
        machine_.gradMode = step.train;
        for (std::int64_t part = 0; part < step.microBatches; ++part)
            if (windows_ > 0)
                windows();
            else
                pass(slice(input_, samples()));
        if (windows_ > 0 && !step.train)
            machine_.op("blend", "elementwise", 3 * static_cast<double>(blended_->bytes()));
        if (!step.train)
            return;
        machine_.enter(Phase::Optimizer, -1);
        machine_.gradMode = false;
        machine_.ops.optimize(machine_, experiment_.optimizer, parameters_, states_);
        for (Parameter* parameter : parameters_)
            parameter->gradient.reset();
    }

private:
    void makeNetwork() {
        layers_.reserve(program_.steps.size());
        machine_.label("parameters");
        for (const stack::ProgramStep& step : program_.steps) {
            const auto layer = static_cast<std::size_t>(step.layer);
            machine_.enter(Phase::Setup, step.layer);
            const Bytes before = machine_.live(Category::Parameters);
            layers_.push_back(makeLayer(machine_, *step.op, info_.layers[layer].input));
            for (const auto& parameter : layers_.back().parameters)
                parameters_.push_back(parameter.get());
            machine_.walk.parameterBytes[layer] = machine_.live(Category::Parameters) - before;
        }
        machine_.enter(Phase::Setup, -1);
    }

    Tensor makeInput(const Dims& dims, DType type) {
        Tensor made = machine_.empty(dims, type);
        machine_.retag(made->storage, Category::Input);
        return made;
    }

    /// core/engine/data.cpp: the input, the target, and the target at each head's size.
    void makeData() {
        machine_.label("data");
        input_ = makeInput(Dims(info_.data), DType::Float32);
        input_->channelsLast =
            machine_.cuda && machine_.target.settings.channelsLast && input_->dims.rank >= 4;
        Tensor target;
        if (info_.targetClasses > 0) {
            stack::Shape shape = info_.data;
            shape.erase(shape.begin() + 1);
            target = makeInput(Dims(shape), DType::Int64);
        } else if (experiment_.loss == stack::Loss::Mse &&
                   experiment_.target.kind != stack::Target::Kind::Input) {
            stack::Shape shape = info_.data;
            shape[1] = 1;
            target = makeInput(Dims(shape), DType::Float32);
        } else if (experiment_.loss == stack::Loss::Mse) {
            target = input_;
        }
        if (!experiment_.windows)
            makeTargets(target);
        makeRing();
        if (experiment_.windows)
            makeWindows(target);
    }

    /// On a GPU it lies in the host's memory.
    void makeRing() {
        const stack::Data& data = experiment_.data;
        if (data.workers > 0 || data.readDelayMs > 0 || !data.augment.empty())
            machine_.walk.guesses.emplace_back(
                "times leave out what reading and augmenting samples takes; workers do it beside the steps");
        if (machine_.cuda)
            return;
        const stack::DataPlan plan = stack::dataPlan(experiment_, info_, false);
        for (const stack::Shape* const shape :
             {&plan.noise, &plan.ringInput, &plan.ringTarget, &plan.scratch})
            if (!shape->empty())
                kept_.push_back(makeInput(Dims(*shape), shape == &plan.ringTarget && plan.classLabels
                                                            ? DType::Int64
                                                            : DType::Float32));
    }

    void makeTargets(const Tensor& target) {
        for (const stack::LayerInfo& layer : info_.layers)
            if (layer.type == "head")
                targets_.push_back(target ? targetOfSize(target, layer.output) : target);
        targets_.push_back(target);
    }

    std::int64_t samples() const { return experiment_.step.batchSize / experiment_.step.microBatches; }

    /// As `whole`, but of a window's size (core/engine/windowed.cpp).
    Tensor windowOf(const Tensor& whole) {
        Dims dims = whole->dims;
        const int spatial = static_cast<int>(info_.input.size()) - 2;
        dims[0] = samples();
        for (int axis = 0; axis < spatial; ++axis)
            dims[dims.rank - spatial + axis] = info_.input[static_cast<std::size_t>(axis + 2)];
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
        if (experiment_.step.train)
            return;
        kept_.push_back(makeInput(spatialOf(info_.input), DType::Float32));
        kept_.push_back(makeInput(spatialOf(info_.data), DType::Float32));
        Dims dims(info_.data);
        dims[1] = info_.output[1];
        blended_ = machine_.empty(dims);
        machine_.retag(blended_->storage, Category::Activations);
    }

    Tensor targetOfSize(const Tensor& target, const stack::Shape& head) {
        Dims dims = target->dims;
        const int spatial = static_cast<int>(head.size()) - 2;
        for (int axis = 0; axis < spatial; ++axis)
            dims[dims.rank - spatial + axis] = head[static_cast<std::size_t>(axis + 2)];
        if (dims == target->dims)
            return target;
        Tensor made = makeInput(dims, target->dtype);
        if (machine_.cuda)
            makePlaces(target->dims, dims, spatial);
        return made;
    }

    /// core/engine/target_sampler.cpp: a table where sizes do not divide each other.
    void makePlaces(const Dims& from, const Dims& to, int spatial) {
        Dims places;
        bool divides = true;
        for (int axis = to.rank - spatial; axis < to.rank; ++axis) {
            places[places.rank++] = to[axis];
            divides = divides && from[axis] % to[axis] == 0;
        }
        if (!divides)
            places_.push_back(makeInput(places, DType::Int64));
    }

    static Tensor slice(const Tensor& of, std::int64_t samples) {
        if (!of || of->dims[0] == samples)
            return of;
        Dims dims = of->dims;
        dims[0] = samples;
        return Machine::view(of, dims, true);
    }

    /// The first windows, the last of them for all that follow.
    void windows() {
        const std::int64_t walked = std::min(windows_, Walk::kWindowsWalked);
        for (std::int64_t window = 0; window < walked; ++window) {
            if (window + 1 == walked)
                machine_.repeats = static_cast<double>(windows_ - window);
            machine_.enter(Phase::Data, -1);
            machine_.op("window", "copy", 2 * static_cast<double>(window_->bytes()));
            pass(window_);
            machine_.repeats = 1;
        }
    }

    void pass(const Tensor& input) {
        const Tensor value = loss(input);
        const Tensor scaled =
            machine_.ops.forwardEnds != nullptr ? machine_.ops.forwardEnds(machine_, value) : value;
        if (experiment_.step.train)
            schedule_->backward(scaled);
    }

    Tensor loss(const Tensor& input) {
        const DeviceOps& ops = machine_.ops;
        std::vector<Tensor> outputs = schedule_->forward(input);
        if (blended_)
            machine_.op("blend", "elementwise", 3 * static_cast<double>(outputs.back()->bytes()));
        Tensor sum;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            Tensor value = ops.loss(machine_, experiment_.loss, outputs[i], slice(targets_[i], samples()));
            outputs[i].reset();
            if (outputs.size() > 1)
                value = ops.weigh(machine_, value);
            sum = sum ? ops.join(machine_, sum, value) : std::move(value);
        }
        return sum;
    }

    const stack::Experiment& experiment_;
    const stack::StackInfo& info_;
    Machine& machine_;
    stack::Program program_;
    std::vector<LayerState> layers_;
    std::vector<Parameter*> parameters_;
    Tensor input_;
    std::vector<Tensor> targets_, places_;
    std::int64_t windows_ = 0;  ///< of a batch; 0: it is not seen through windows
    Tensor window_, blended_;
    std::vector<Tensor> kept_;  ///< the workers' ring; the data that windows are cut from, and their weights
    std::vector<OptimizerState> states_;
    std::optional<step::Schedule<GhostBackend>> schedule_;
};

}  // namespace

base::Result<Walk> walk(const stack::Experiment& experiment, const stack::StackInfo& info,
                        const Target& target) {
    const base::Status supported =
        target.gpu ? base::Status{} : stack::checkSupported(experiment, info, false);
    if (!supported)
        return supported.error();
    Target settled = target;
    settled.settings = cudaSettings(experiment);
    try {
        Machine machine(settled, info.layers.size());
        Trainer trainer(experiment, info, machine);
        if (machine.ops.starts != nullptr)
            machine.ops.starts(machine);
        for (int step = 0; step < Walk::kSteps; ++step) {
            machine.beginStep(step);
            trainer.step();
        }
        machine.finish();
        return std::move(machine.walk);
    } catch (const ghost::TooMuch&) {
        return base::Error{"the experiment needs more than 2^62 bytes; make the patch or the batch smaller"};
    }
}

std::vector<ConvKey> convolutionsOf(const stack::Experiment& experiment, const stack::StackInfo& info) {
    std::vector<ConvKey> keys;
    if (const auto walked = walk(experiment, info, {}))
        for (const Walk::Convolution& each : walked->convolutions)
            keys.push_back(each.key);
    return keys;
}

}  // namespace highwater::predict
