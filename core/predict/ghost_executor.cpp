#include <algorithm>

#include "core/predict/cuda_ops.h"
#include "core/predict/ghost_layers.h"

/// core/engine/executor.cpp over ghosts, function by function: change both together.
namespace highwater::predict::ghost {

using stack::ProgramStep;
using stack::Segment;

namespace {

std::size_t at1(int value) {
    return static_cast<std::size_t>(value + 1);
}

/// c10::AutoGradMode
class GradMode {
public:
    GradMode(Machine& machine, bool on) : machine_(machine), before_(machine.gradMode) {
        machine.gradMode = on;
    }
    ~GradMode() { machine_.gradMode = before_; }
    GradMode(const GradMode&) = delete;
    GradMode& operator=(const GradMode&) = delete;

private:
    Machine& machine_;
    bool before_;
};

}  // namespace

Executor::Executor(const stack::Program& program, const stack::StackInfo& info,
                   const std::vector<LayerState>& layers, Machine& machine, bool train)
    : program_(program),
      info_(info),
      layers_(layers),
      machine_(machine),
      train_(train),
      pending_(program.steps.size() + 1) {}

std::vector<Tensor> Executor::forward(const Tensor& input) {
    const int steps = static_cast<int>(program_.steps.size());
    Values values(program_.steps.size() + 1);
    values[0] = input;
    passes_ = runSegments(program_.segments, values, {Phase::Forward, steps});
    machine_.listen(-1);
    const Segment& last = program_.segments.back();
    const int cut = last.checkpoint ? steps : last.first;
    std::vector<Tensor> outputs;
    for (const int value : program_.outputs)
        outputs.push_back(read(value, values, cut, train_));
    return outputs;
}

std::vector<Executor::Pass> Executor::runSegments(const std::vector<Segment>& segments, Values& values,
                                                  Run run) {
    std::vector<Pass> passes;
    passes.reserve(segments.size());
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
            pass.generator = machine_.ops.generatorState(machine_);
        runSteps(pass, values, false, run);
        return pass;
    }
    runSteps(pass, values, train_, run);
    const bool last = &segment == &program_.segments.back();
    if (train_ && !last)
        for (const int value : segment.exports)
            if (Tensor& made = values[at1(value)])
                made = Machine::detach(made);
    return pass;
}

void Executor::runSteps(Pass& pass, Values& values, bool graph, Run run) {
    const Segment& segment = *pass.segment;
    const GradMode mode(machine_, graph);
    std::vector<std::uint32_t> foreign;  // blocks: numbers are not used again
    for (const int value : segment.imports)
        foreign.push_back(values[at1(value)]->storage->block);
    for (int i = segment.first; i < segment.last; ++i)
        runStep(pass, values, graph, run, i, foreign);
    machine_.enter(run.phase, -1);
}

void Executor::runStep(Pass& pass, Values& values, bool graph, Run run, int i,
                       const std::vector<std::uint32_t>& foreign) {
    const Segment& segment = *pass.segment;
    const ProgramStep& step = program_.steps[static_cast<std::size_t>(i)];
    const auto layer = static_cast<std::size_t>(step.layer);
    const ForwardMode mode = !train_                         ? ForwardMode::Evaluate
                             : run.phase == Phase::Recompute ? ForwardMode::Recompute
                                                             : ForwardMode::Train;
    machine_.enter(run.phase, step.layer);
    if (graph)
        machine_.listen(step.layer);
    const Bytes before = machine_.live(Category::Activations);
    {
        Tensor x = read(step.from, values, segment.first, graph);
        const Tensor with = step.with >= -1 ? read(step.with, values, segment.first, graph) : Tensor();
        if (worksInPlace(*step.op) && std::count(foreign.begin(), foreign.end(), x->storage->block) > 0)
            x = machine_.ops.clone(machine_, x);
        Dims output(info_.layers[layer].output);
        output[0] = x->dims[0];
        Tensor made =
            applyLayer(machine_, *step.op, layers_[static_cast<std::size_t>(i)], x, with, output, mode);
        x.reset();
        machine_.retagTemporary(made->storage, Category::Activations);
        if (graph || !train_)
            machine_.walk.activationBytes[layer] = machine_.live(Category::Activations) - before;
        if (graph && std::count(segment.exports.begin(), segment.exports.end(), i) > 0)
            pass.exports.push_back(made->edge);
        values[at1(i)] = std::move(made);
        for (const int value : {step.from, step.with})
            if (dropsAfter(i, value, run))
                values[at1(value)].reset();
    }
}

Tensor Executor::read(int value, const Values& values, int first, bool graph) {
    const Tensor& held = values[at1(value)];
    if (!graph || value >= first || !program_.needsGradient[at1(value)])
        return held;
    return border(held, value);
}

Tensor Executor::border(const Tensor& tensor, int value) {
    Tensor cut = Machine::detach(tensor);
    cut->edge = machine_.sink([this, value](Machine& machine, Node&, Tensor& gradient, Gradients&) {
        machine.ops.arrive(machine, pending_[at1(value)], std::move(gradient));
    });
    return cut;
}

bool Executor::dropsAfter(int step, int value, Run run) const {
    return value >= -1 && program_.lastReaderBefore(value, run.end) == step &&
           (run.phase == Phase::Recompute || !program_.isOutput(value));
}

void Executor::backward(const Tensor& loss) {
    machine_.enter(Phase::Backward, -1);
    machine_.backward(loss);
    const bool lastIsDone = !program_.segments.back().checkpoint;
    backwardThrough(passes_, passes_.size() - (lastIsDone ? 1 : 0));
    machine_.enter(Phase::Backward, -1);
    passes_.clear();
    for (Tensor& gradient : pending_)
        gradient.reset();
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
    std::vector<std::pair<NodePtr, Tensor>> starts;
    for (std::size_t i = 0; i < pass.exports.size(); ++i) {
        Tensor& gradient = pending_[at1(pass.segment->exports[i])];
        if (!gradient || !pass.exports[i])
            continue;
        starts.emplace_back(std::move(pass.exports[i]), std::move(gradient));
        gradient.reset();
    }
    pass.exports.clear();
    if (starts.empty())
        return;
    machine_.enter(Phase::Backward, -1);
    machine_.backward(std::move(starts));
}

void Executor::backwardCheckpointed(Pass& pass) {
    const Segment& segment = *pass.segment;
    const bool wanted = std::any_of(segment.exports.begin(), segment.exports.end(),
                                    [&](int value) { return pending_[at1(value)] != nullptr; });
    if (!wanted)
        return;
    machine_.enter(Phase::Recompute, -1);
    Values values(program_.steps.size() + 1);
    for (std::size_t i = 0; i < pass.inputs.size(); ++i)
        values[at1(segment.imports[i])] = std::move(pass.inputs[i]);
    pass.inputs.clear();

    Tensor present;
    if (pass.generator) {
        present = machine_.ops.generatorState(machine_);
        pass.generator.reset();
    }
    std::vector<Pass> inner = runSegments(segment.inner, values, {Phase::Recompute, segment.last});
    endAutocast(machine_);
    present.reset();
    for (Tensor& value : values)
        value.reset();
    backwardThrough(inner, inner.size());
}

}  // namespace highwater::predict::ghost
