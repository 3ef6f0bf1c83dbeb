#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/memory/phase.h"
#include "core/stack/program.h"
#include "core/step/forward_mode.h"
#include "core/step/stash.h"

namespace highwater::step {

/// The explicit schedule of a training step (docs/memory-model.md section 5). Segments run forward in order
/// and backward in reverse order. A checkpointed segment runs forward without a graph, and forward again
/// during backward. The activations that a segment with `offload` saves are copied to host memory when its
/// forward has ended, and freed on the device when the next segment's forward has ended too; they are copied
/// back while the backward of the next segment runs. This one template determines what a step allocates and
/// frees, and when, both for LibTorch and for its prediction.
///
/// A Backend supplies the tensors and the operations on them:
///
///     using Tensor; // a counted handle; can be copied, moved and reset()
///     using Edge;                      // where a tensor's gradient goes; does not hold its data
///     using Origin;                    // identifies a tensor's storage; does not hold it
///     static bool defined(const Tensor&);
///     static bool leads(const Edge&);  // a gradient is needed there
///     static Edge edgeOf(const Tensor&);
///     static Tensor detach(const Tensor&);
///     static Origin originOf(const Tensor&);
///     static bool liesIn(const Tensor&, const std::vector<Origin>&);
///     auto gradMode(bool on);          // c10::AutoGradMode, for the lifetime of the result
///     void checkpoints();              // optional: a checkpointed segment's inputs are kept
///     void checkpointsWithin(const stack::Segment&);  // optional: what those in it keep besides inputs
///     // optional: such a segment will be recomputed; `generator`: the state that it drew from, or undefined
///     void recomputes(const std::vector<Tensor>& inputs, const Tensor& generator);
///     auto recomputation();            // alive while a segment is recomputed
///     void enter(memory::Phase, int layer);  // attributes time and memory from here on; -1: no layer
///     void nodesBelongTo(int layer);         // attributes the backward of nodes made from here on
///     base::Bytes activations() const;       // bytes of live activations
///     void layerKept(int layer, base::Bytes);
///     Tensor apply(int step, Tensor x, const std::vector<Tensor>& with, ForwardMode);
///     // The edge of a step whose forward does not run (stack::resumable); `gradient` will arrive there.
///     Edge resume(int step, const Tensor& x, const Tensor& gradient);
///     Tensor clone(const Tensor&);
///     void countAsActivation(const Tensor&);  // unless it has another category already
///     Tensor border(const Tensor&, Arrived);  // cut from its graph; arrived(Tensor&&) gets its gradient
///     void add(Tensor& held, Tensor&& gradient);
///     void backward(const Tensor& loss, double scale);
///     void backward(std::vector<Edge>, std::vector<Tensor> gradients);
///     Tensor generatorState();
///     void setGeneratorState(const Tensor&);
///     using Slot;                         // of core/step/stash.h
///     auto stashing(Stashing<Slot>&); // during its lifetime, saved tensors are offered to the argument
///     void send(const Stash<Slot>&);      // begins to copy `sent` to the host
///     void sent(Stash<Slot>&);            // the device waits for that copy; `sent` is then empty
///     void fetch(const Stash<Slot>&);     // allocates `due` on the device and begins to copy it there
///     void fetched(Stash<Slot>&);         // the device waits for that copy; the stash is then empty
template <class Backend>
class Schedule {
public:
    using Tensor = typename Backend::Tensor;

    /// `program` must outlive this object.
    Schedule(const stack::Program& program, bool train, Backend backend)
        : program_(program),
          train_(train),
          backend_(std::move(backend)),
          pending_(program.steps.size() + 1) {}
    Schedule(const Schedule&) = delete;  // the backward functions of borders point to this object
    Schedule& operator=(const Schedule&) = delete;

    /// Runs the forward and returns the program's outputs. When training, they are part of a graph that ends
    /// at the last segment's inputs and at the outputs of earlier segments.
    std::vector<Tensor> forward(const Tensor& input);
    /// Computes the parameters' gradients for the last forward. `loss` is a scalar computed from its outputs;
    /// `scale` is its weight.
    void backward(const Tensor& loss, double scale = 1);
    /// Releases everything that forward or backward stored in this object.
    void reset();

private:
    using Values = std::vector<Tensor>;  ///< value v is at index v + 1
    using Edge = typename Backend::Edge;
    using Segments = std::vector<stack::Segment>;

    /// The values of a segment that is recomputed, in a list with room for those of all steps: creating such
    /// a list for each segment would take time proportional to the number of steps. Releases them in their
    /// order.
    class Recomputed {
    public:
        Recomputed(Values& all, const stack::Segment& segment) : values(all), segment_(segment) {}
        Recomputed(const Recomputed&) = delete;
        Recomputed& operator=(const Recomputed&) = delete;
        ~Recomputed() { release(); }
        void release() {
            for (const int value : segment_.imports) {
                values[at1(value)].reset();
            }
            for (int value = segment_.first; value < segment_.last; ++value) {
                values[at1(value)].reset();
            }
        }
        Values& values;

    private:
        const stack::Segment& segment_;
    };

    /// The data that a segment's backward needs.
    struct Pass {
        const stack::Segment* segment = nullptr;
        std::vector<Edge> exports;              ///< not checkpointed: one for each of the segment's exports
        std::vector<Tensor> inputs;             ///< checkpointed: one for each import
        Tensor generator{};                     ///< checkpointed: the generator's state before the segment
        Stash<typename Backend::Slot> stash{};  ///< not checkpointed
    };
    enum class Graph { None, Built };

    struct Run {
        memory::Phase phase = memory::Phase::Forward;  ///< or Recompute
        int end = 0;                                   ///< no step from this one on reads these values
    };

    static std::size_t at1(int value) { return static_cast<std::size_t>(value + 1); }
    static bool isExport(const stack::Segment& segment, int value) {
        return std::binary_search(segment.exports.begin(), segment.exports.end(), value);
    }
    std::vector<Pass> runSegments(const Segments& segments, Values& values, Run run);
    void runSegment(Pass& pass, Pass* before, Values& values, Run run);
    void runSteps(Pass& pass, Values& values, Graph graph, Run run);
    void runStep(int number, Pass& pass, Values& values, Graph graph, Run run,
                 const std::vector<typename Backend::Origin>& foreign);
    void compute(int number, Pass& pass, Values& values, Graph graph, Run run,
                 const std::vector<typename Backend::Origin>& foreign);
    void resume(int number, Pass& pass, Values& values);
    Tensor read(int value, const Values& values, int first, Graph graph);
    bool dropsAfter(int number, int value, Run run) const;
    void fetch(Stash<typename Backend::Slot>& stash);
    void bringBack(std::vector<Pass>& passes);
    void backwardThrough(std::vector<Pass>& passes, std::size_t count);
    void backwardPlain(Pass& pass);
    void backwardCheckpointed(Pass& pass);
    std::vector<Pass> recompute(Pass& pass);

    const stack::Program& program_;
    bool train_;
    Backend backend_;
    std::vector<Pass> passes_;
    Values pending_;     ///< gradients for the segment that made the value
    Values recomputed_;  ///< all empty unless a segment is recomputed
};

template <class Backend>
auto Schedule<Backend>::forward(const Tensor& input) -> std::vector<Tensor> {
    const int steps = static_cast<int>(program_.steps.size());
    Values values(program_.steps.size() + 1);
    values[0] = input;
    passes_ = runSegments(program_.segments, values, {memory::Phase::Forward, steps});
    backend_.nodesBelongTo(-1);
    const stack::Segment& last = program_.segments.back();
    const int cut = last.checkpoint ? steps : last.first;
    std::vector<Tensor> outputs;
    for (const int value : program_.outputs) {
        outputs.push_back(read(value, values, cut, train_ ? Graph::Built : Graph::None));
    }
    return outputs;
}

template <class Backend>
auto Schedule<Backend>::runSegments(const Segments& segments, Values& values, Run run) -> std::vector<Pass> {
    std::vector<Pass> passes;
    passes.reserve(segments.size());
    for (const stack::Segment& segment : segments) {
        Pass* const before = passes.empty() ? nullptr : &passes.back();
        Pass& pass = passes.emplace_back();
        pass.segment = &segment;
        runSegment(pass, before, values, run);
        if (before != nullptr && !before->stash.sent.empty()) {
            backend_.sent(before->stash);
        }
        if (!pass.stash.sent.empty()) {
            backend_.send(pass.stash);
        }
    }
    return passes;
}

/// `before`: the pass of the preceding segment in the same list, or nullptr.
template <class Backend>
void Schedule<Backend>::runSegment(Pass& pass, Pass* before, Values& values, Run run) {
    const stack::Segment& segment = *pass.segment;
    if (segment.checkpoint) {
        for (const int value : segment.imports) {
            pass.inputs.push_back(values[at1(value)]);
        }
        if constexpr (requires { backend_.checkpoints(); }) {
            backend_.checkpoints();
        }
        if (segment.drawsRandomly) {
            pass.generator = backend_.generatorState();
        }
        if constexpr (requires { backend_.checkpointsWithin(segment); }) {
            backend_.checkpointsWithin(segment);
        }
        runSteps(pass, values, Graph::None, run);
        return;
    }
    {
        const bool leaves = before != nullptr && !before->stash.sent.empty();
        Stashing<typename Backend::Slot> stashing(
            pass.stash, leaves ? &before->stash : nullptr,
            segment.offload && train_ ? std::optional(program_.offloadsAbove) : std::nullopt);
        const auto offered = backend_.stashing(stashing);
        runSteps(pass, values, train_ ? Graph::Built : Graph::None, run);
    }
    const bool last = &segment == &program_.segments.back();  // the loss becomes part of its graph
    if (train_ && !last) {
        for (const int value : segment.exports) {
            if (Tensor& made = values[at1(value)]; Backend::defined(made)) {
                made = Backend::detach(made);
            }
        }
    }
}

/// Runs the steps of pass.segment. Reads and writes `values`, and releases each value after its last reader.
template <class Backend>
void Schedule<Backend>::runSteps(Pass& pass, Values& values, Graph graph, Run run) {
    const auto mode = backend_.gradMode(graph == Graph::Built);
    std::vector<typename Backend::Origin> foreign;
    for (const int value : pass.segment->imports) {
        foreign.push_back(Backend::originOf(values[at1(value)]));
    }
    for (int number = pass.segment->first; number < pass.segment->last; ++number) {
        runStep(number, pass, values, graph, run, foreign);
    }
    backend_.enter(run.phase, -1);
}

template <class Backend>
void Schedule<Backend>::runStep(int number, Pass& pass, Values& values, Graph graph, Run run,
                                const std::vector<typename Backend::Origin>& foreign) {
    const stack::Segment& segment = *pass.segment;
    const stack::ProgramStep& step = program_.steps[static_cast<std::size_t>(number)];
    backend_.enter(run.phase, step.layer);
    if (graph == Graph::Built) {
        backend_.nodesBelongTo(step.layer);
    }
    const base::Bytes before = backend_.activations();
    if (segment.resumes && number + 1 == segment.last && run.phase == memory::Phase::Recompute) {
        resume(number, pass, values);  // the activations that its forward keeps were recorded then
    } else {
        compute(number, pass, values, graph, run, foreign);
        backend_.layerKept(step.layer, backend_.activations() - before);
    }
    for (const int value : stack::valuesRead(step)) {
        if (dropsAfter(number, value, run)) {
            values[at1(value)].reset();
        }
    }
}

template <class Backend>
void Schedule<Backend>::compute(int number, Pass& pass, Values& values, Graph graph, Run run,
                                const std::vector<typename Backend::Origin>& foreign) {
    const stack::Segment& segment = *pass.segment;
    const stack::ProgramStep& step = program_.steps[static_cast<std::size_t>(number)];
    const bool again = run.phase == memory::Phase::Recompute;
    const ForwardMode mode = !train_ ? ForwardMode::Evaluate
                             : again ? ForwardMode::Recompute
                                     : ForwardMode::Train;
    Tensor x = read(step.from, values, segment.first, graph);
    std::vector<Tensor> with;
    for (const int value : step.with) {
        with.push_back(read(value, values, segment.first, graph));
    }
    // A value from before the segment is needed for its recomputation, or belongs to another segment, so it
    // must never be overwritten.
    if (stack::worksInPlace(*step.op) && Backend::liesIn(x, foreign)) {
        x = backend_.clone(x);
    }
    Tensor made = backend_.apply(number, std::move(x), with, mode);
    backend_.countAsActivation(made);
    if (graph == Graph::Built && isExport(segment, number)) {
        pass.exports.push_back(Backend::edgeOf(made));
    }
    values[at1(number)] = std::move(made);
}

/// Creates the step's part of the graph without its output, which nothing reads. (A value without a gradient
/// has no backward.)
template <class Backend>
void Schedule<Backend>::resume(int number, Pass& pass, Values& values) {
    const stack::Segment& segment = *pass.segment;
    const stack::ProgramStep& step = program_.steps[static_cast<std::size_t>(number)];
    const Tensor& gradient = pending_[at1(number)];
    Edge edge{};
    if (Backend::defined(gradient)) {
        edge = backend_.resume(number, read(step.from, values, segment.first, Graph::Built), gradient);
    }
    if (isExport(segment, number)) {
        pass.exports.push_back(std::move(edge));
    }
}

/// Returns a value as a step reads it. A value from before the segment is cut from its graph, separately for
/// each use, so that its gradients are added in the same order as in an uncut graph.
template <class Backend>
auto Schedule<Backend>::read(int value, const Values& values, int first, Graph graph) -> Tensor {
    const Tensor& held = values[at1(value)];
    // The graph does not reach a value from before the step `first`.
    if (graph == Graph::None || value >= first || !program_.needsGradient[at1(value)]) {
        return held;
    }
    return backend_.border(
        held, [this, value](Tensor&& gradient) { backend_.add(pending_[at1(value)], std::move(gradient)); });
}

/// Whether nothing reads the value after this step. In forward, the loss still reads the outputs.
template <class Backend>
bool Schedule<Backend>::dropsAfter(int number, int value, Run run) const {
    return value >= -1 && program_.lastReaderBefore(value, run.end) == number &&
           (run.phase == memory::Phase::Recompute || !program_.isOutput(value));
}

template <class Backend>
void Schedule<Backend>::backward(const Tensor& loss, double scale) {
    backend_.enter(memory::Phase::Backward, -1);
    const bool lastIsDone = !program_.segments.back().checkpoint;
    if (lastIsDone) {
        bringBack(passes_);
    }
    backend_.backward(loss, scale);
    backwardThrough(passes_, passes_.size() - (lastIsDone ? 1 : 0));
    backend_.enter(memory::Phase::Backward, -1);
    reset();
}

template <class Backend>
void Schedule<Backend>::fetch(Stash<typename Backend::Slot>& stash) {
    if (!stash.due.empty() && !stash.coming) {
        backend_.enter(memory::Phase::Backward, -1);
        backend_.fetch(stash);
        stash.coming = true;
    }
}

/// Copies back what the last pass needs, and starts copying what the one before it needs.
template <class Backend>
void Schedule<Backend>::bringBack(std::vector<Pass>& passes) {
    fetch(passes.back().stash);
    if (passes.size() > 1) {
        fetch(passes[passes.size() - 2].stash);
    }
    if (passes.back().stash.coming) {
        backend_.fetched(passes.back().stash);
    }
}

template <class Backend>
void Schedule<Backend>::backwardThrough(std::vector<Pass>& passes, std::size_t count) {
    passes.resize(count);
    for (; !passes.empty(); passes.pop_back()) {
        bringBack(passes);
        if (passes.back().segment->checkpoint) {
            backwardCheckpointed(passes.back());
        } else {
            backwardPlain(passes.back());
        }
    }
}

template <class Backend>
void Schedule<Backend>::backwardPlain(Pass& pass) {
    std::vector<Edge> edges;
    std::vector<Tensor> gradients;
    for (std::size_t i = 0; i < pass.exports.size(); ++i) {
        Tensor& gradient = pending_[at1(pass.segment->exports[i])];
        if (!Backend::defined(gradient) || !Backend::leads(pass.exports[i])) {
            continue;
        }
        edges.push_back(std::move(pass.exports[i]));
        gradients.push_back(std::move(gradient));
        gradient.reset();
    }
    pass.exports.clear();
    if (edges.empty()) {
        return;
    }
    backend_.enter(memory::Phase::Backward, -1);
    backend_.backward(std::move(edges), std::move(gradients));
}

template <class Backend>
void Schedule<Backend>::backwardCheckpointed(Pass& pass) {
    const std::vector<int>& exports = pass.segment->exports;
    const bool wanted = std::any_of(exports.begin(), exports.end(),
                                    [&](int value) { return Backend::defined(pending_[at1(value)]); });
    if (!wanted) {
        return;
    }
    std::vector<Pass> inner = recompute(pass);
    backwardThrough(inner, inner.size());
}

/// Recomputes the forward of a checkpointed segment, with the same random numbers.
template <class Backend>
auto Schedule<Backend>::recompute(Pass& pass) -> std::vector<Pass> {
    const stack::Segment& segment = *pass.segment;
    backend_.enter(memory::Phase::Recompute, -1);
    recomputed_.resize(program_.steps.size() + 1);
    Recomputed held(recomputed_, segment);
    Values& values = held.values;
    if constexpr (requires { backend_.recomputes(pass.inputs, pass.generator); }) {
        backend_.recomputes(pass.inputs, pass.generator);
    }
    for (std::size_t i = 0; i < pass.inputs.size(); ++i) {
        values[at1(segment.imports[i])] = std::move(pass.inputs[i]);
    }
    pass.inputs.clear();

    Tensor present{};
    if (Backend::defined(pass.generator)) {
        present = backend_.generatorState();
        backend_.setGeneratorState(pass.generator);
        pass.generator.reset();
    }
    std::vector<Pass> inner;
    {
        const auto recomputation = backend_.recomputation();
        inner = runSegments(segment.inner, values, {memory::Phase::Recompute, segment.last});
    }
    if (Backend::defined(present)) {
        backend_.setGeneratorState(present);
    }
    present.reset();
    held.release();
    return inner;
}

template <class Backend>
void Schedule<Backend>::reset() {
    passes_.clear();
    for (Tensor& gradient : pending_) {
        gradient.reset();
    }
}

}  // namespace highwater::step
