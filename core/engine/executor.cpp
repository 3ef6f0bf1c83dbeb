#include "core/engine/executor.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <optional>

#include "core/engine/device.h"

namespace highwater::engine {

namespace {

std::size_t at1(int value) {
    return static_cast<std::size_t>(value + 1);
}

/// Known again after its tensors have gone, when another may lie at its address.
using KnownStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

bool liesIn(const at::Tensor& tensor, const std::vector<KnownStorage>& storages) {
    const c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
    return std::any_of(storages.begin(), storages.end(),
                       [&](const KnownStorage& each) { return each._unsafe_get_target() == storage; });
}

}  // namespace

Network::Network(const Program& program, const stack::StackInfo& info, Accounting& accounting,
                 const Device& device, bool channelsLast) {
    for (const ProgramStep& step : program.steps) {
        accounting.enter(Phase::Setup, step.layer);
        layers_.push_back(makeLayer(*step.op, info.layers[static_cast<std::size_t>(step.layer)].input, device,
                                    channelsLast));
        for (const at::Tensor& parameter : layers_.back().parameters)
            parameters_.push_back(parameter);
    }
    accounting.enter(Phase::Setup, -1);
    for (const at::Tensor& parameter : parameters_) {
        const auto* const held = &parameter;
        hooks_.push_back(afterAccumulate(parameter, [held] { retag(held->grad(), Category::Gradients); }));
    }
}

std::vector<at::Tensor> Network::buffers() const {
    std::vector<at::Tensor> all;
    for (const LayerTensors& layer : layers_)
        if (layer.runningMean.defined())
            all.insert(all.end(), {layer.runningMean, layer.runningVar});
    return all;
}

void Network::dropGradients() {
    for (at::Tensor& parameter : parameters_)
        parameter.mutable_grad().reset();
}

Executor::Executor(const Program& program, Network& network, Recorder& recorder, Accounting& accounting,
                   bool train, const Device& device, const MixedPrecision* precision)
    : program_(program),
      network_(network),
      recorder_(recorder),
      accounting_(accounting),
      train_(train),
      device_(device),
      precision_(precision) {
    pending_.resize(program.steps.size() + 1);
}

/// A CPU tensor on every device; the CPU's counts to the activations.
at::Tensor Executor::generatorState() const {
    at::Tensor state = defaultGenerator(device_).get_state();
    retag(state, Category::Activations);
    return state;
}

void Executor::setGeneratorState(const at::Tensor& state) const {
    at::Generator generator = defaultGenerator(device_);
    generator.set_state(state);
}

std::vector<at::Tensor> Executor::forward(const at::Tensor& input) {
    const int steps = static_cast<int>(program_.steps.size());
    Values values(program_.steps.size() + 1);
    values[0] = input;
    passes_ = runSegments(program_.segments, values, {Phase::Forward, steps});
    recorder_.nodesBelongTo(-1);
    const Segment& last = program_.segments.back();
    const int cut = last.checkpoint ? steps : last.first;
    std::vector<at::Tensor> outputs;
    for (const int value : program_.outputs)
        outputs.push_back(read(value, values, cut, train_ ? Graph::Built : Graph::None));
    return outputs;
}

std::vector<Executor::Pass> Executor::runSegments(const std::vector<Segment>& segments, Values& values,
                                                  Run run) {
    std::vector<Pass> passes;
    for (const Segment& segment : segments)
        passes.push_back(runSegment(segment, values, run));
    return passes;
}

Executor::Pass Executor::runSegment(const Segment& segment, Values& values, Run run) {
    Pass pass;
    pass.segment = &segment;
    if (segment.checkpoint) {
        for (const int value : segment.imports)
            pass.inputs.push_back(values[at1(value)]);
        if (segment.drawsRandomly)
            pass.generator = generatorState();
        runSteps(pass, values, Graph::None, run);
        return pass;
    }
    runSteps(pass, values, train_ ? Graph::Built : Graph::None, run);
    const bool last = &segment == &program_.segments.back();  // the loss joins its graph
    if (train_ && !last)
        for (const int value : segment.exports)
            if (at::Tensor& made = values[at1(value)]; made.defined())
                made = made.detach();
    return pass;
}

void Executor::runSteps(Pass& pass, Values& values, Graph graph, Run run) {
    const Segment& segment = *pass.segment;
    const c10::AutoGradMode mode(graph == Graph::Built);
    const bool again = run.phase == Phase::Recompute;
    const ForwardMode forward = !train_ ? ForwardMode::Evaluate
                                : again ? ForwardMode::Recompute
                                        : ForwardMode::Train;
    std::vector<KnownStorage> foreign;
    for (const int value : segment.imports)
        foreign.push_back(values[at1(value)].storage().getWeakStorageImpl());

    for (int i = segment.first; i < segment.last; ++i) {
        const ProgramStep& step = program_.steps[static_cast<std::size_t>(i)];
        recorder_.enter(run.phase, step.layer);
        if (graph == Graph::Built)
            recorder_.nodesBelongTo(step.layer);
        const Bytes before = accounting_.activations();

        at::Tensor x = read(step.from, values, segment.first, graph);
        const at::Tensor with =
            step.with >= -1 ? read(step.with, values, segment.first, graph) : at::Tensor();
        // A value from before the segment is recomputed from, or another segment's: never written over.
        if (worksInPlace(*step.op) && liesIn(x, foreign))
            x = x.clone();
        at::Tensor made = applyLayer(*step.op, network_.tensors(i), std::move(x), with, forward);
        retagTemporary(made, Category::Activations);
        if (graph == Graph::Built || !train_)
            recorder_.layerKept(step.layer, accounting_.activations() - before);

        if (graph == Graph::Built && std::count(segment.exports.begin(), segment.exports.end(), i) > 0)
            pass.exports.push_back(made.requires_grad() ? edgeOf(made) : GraphEdge{});
        values[at1(i)] = std::move(made);
        for (const int value : {step.from, step.with})
            if (dropsAfter(i, value, run))
                values[at1(value)].reset();
    }
    recorder_.enter(run.phase, -1);
}

/// A value as a step reads it: one from before the segment is cut from its graph, each use on its own, so
/// that gradients arrive in the order in which an uncut graph would add them.
at::Tensor Executor::read(int value, const Values& values, int first, Graph graph) {
    const at::Tensor& held = values[at1(value)];
    if (graph == Graph::None || value >= first || !program_.needsGradient[at1(value)])
        return held;
    return border(held, [this, value](at::Tensor&& gradient) { arrive(value, std::move(gradient)); });
}

/// Nothing reads the value after this step; in the forward the loss still reads the outputs.
bool Executor::dropsAfter(int step, int value, Run run) const {
    return value >= -1 && program_.lastReaderBefore(value, run.end) == step &&
           (run.phase == Phase::Recompute || !program_.isOutput(value));
}

void Executor::backward(const at::Tensor& loss, double scale) {
    recorder_.enter(Phase::Backward, -1);
    engine::backward(loss, scale);
    const bool lastIsDone = !program_.segments.back().checkpoint;
    backwardThrough(passes_, passes_.size() - (lastIsDone ? 1 : 0));
    recorder_.enter(Phase::Backward, -1);
    reset();
}

void Executor::backwardThrough(std::vector<Pass>& passes, std::size_t count) {
    passes.resize(count);
    for (; !passes.empty(); passes.pop_back()) {
        if (passes.back().segment->checkpoint)
            backwardCheckpointed(passes.back());
        else
            backwardPlain(passes.back());
    }
}

void Executor::backwardPlain(Pass& pass) {
    std::vector<GraphEdge> edges;
    std::vector<at::Tensor> gradients;
    for (std::size_t i = 0; i < pass.exports.size(); ++i) {
        at::Tensor& gradient = pending_[at1(pass.segment->exports[i])];
        if (!gradient.defined() || pass.exports[i].node == nullptr)
            continue;
        edges.push_back(std::move(pass.exports[i]));
        gradients.push_back(std::move(gradient));
        gradient.reset();
    }
    pass.exports.clear();
    if (edges.empty())
        return;
    recorder_.enter(Phase::Backward, -1);
    engine::backward(edges, std::move(gradients));
}

void Executor::backwardCheckpointed(Pass& pass) {
    const Segment& segment = *pass.segment;
    const bool wanted = std::any_of(segment.exports.begin(), segment.exports.end(),
                                    [&](int value) { return pending_[at1(value)].defined(); });
    if (!wanted)
        return;
    recorder_.enter(Phase::Recompute, -1);
    Values values(program_.steps.size() + 1);
    for (std::size_t i = 0; i < pass.inputs.size(); ++i)
        values[at1(segment.imports[i])] = std::move(pass.inputs[i]);
    pass.inputs.clear();

    at::Tensor present;
    if (pass.generator.defined()) {
        present = generatorState();
        setGeneratorState(pass.generator);
        pass.generator.reset();
    }
    std::vector<Pass> inner;
    {
        std::optional<MixedPrecision::Autocast> autocast;
        if (precision_ != nullptr)
            autocast.emplace(*precision_);
        inner = runSegments(segment.inner, values, {Phase::Recompute, segment.last});
    }
    if (present.defined())
        setGeneratorState(present);
    present.reset();
    values.clear();
    backwardThrough(inner, inner.size());
}

void Executor::arrive(int value, at::Tensor&& gradient) {
    at::Tensor& held = pending_[at1(value)];
    const c10::AutoGradMode noGraph(false);
    if (!gradient.defined())
        return;
    if (!held.defined())
        held = std::move(gradient);
    else if (ownsItsStorage(held))
        held.add_(gradient);
    else
        held = held + gradient;
}

void Executor::abandon() {
    reset();
    drainBackward();
}

void Executor::reset() {
    passes_.clear();
    for (at::Tensor& gradient : pending_)
        gradient.reset();
}

}  // namespace highwater::engine
