#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/engine/layers.h"
#include "core/engine/precision.h"
#include "core/engine/recorder.h"
#include "core/engine/torch_compat.h"
#include "core/stack/program.h"

/// The explicit schedule of a training step (memory-model.md section 5): segments run forward in order and
/// backward in reverse; a checkpointed one runs forward without a graph and again in backward. Private to
/// core/engine.
namespace highwater::engine {

using stack::Program;
using stack::ProgramStep;
using stack::Segment;

/// The tensors of all steps of a program.
class Network {
public:
    /// Makes and initialises them from the default generator's present state.
    Network(const Program& program, const stack::StackInfo& info, Accounting& accounting,
            const Device& device = {}, bool channelsLast = false);
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    const LayerTensors& tensors(int step) const { return layers_[static_cast<std::size_t>(step)]; }
    /// All learned tensors, in order of execution.
    const std::vector<at::Tensor>& parameters() const { return parameters_; }
    /// batch_norm's running mean and variance, in order of execution.
    std::vector<at::Tensor> buffers() const;
    /// Resets all gradients to none.
    void dropGradients();

private:
    std::vector<LayerTensors> layers_;
    std::vector<at::Tensor> parameters_;
    std::vector<std::shared_ptr<void>> hooks_;  ///< that tag gradients
};

class Executor {
public:
    /// `precision`: what recomputation runs under, as forward did; null: fp32. It must outlive this.
    Executor(const Program& program, Network& network, Recorder& recorder, Accounting& accounting, bool train,
             const Device& device = {}, const MixedPrecision* precision = nullptr);

    /// The program's outputs. When training they are part of a graph that ends at the last segment's inputs
    /// and at the outputs of segments before it.
    std::vector<at::Tensor> forward(const at::Tensor& input);
    /// Gradients into the parameters, for the last forward. `loss` is a scalar made from its outputs; `scale`
    /// its weight.
    void backward(const at::Tensor& loss, double scale = 1);
    /// Ends a run, also after an exception: lets go of everything, with what LibTorch's interrupted backward
    /// left in its queue.
    void abandon();

private:
    using Values = std::vector<at::Tensor>;  ///< at v + 1

    /// What a segment's backward needs.
    struct Pass {
        const Segment* segment = nullptr;
        std::vector<GraphEdge> exports;  ///< plain: one for each of the segment's exports
        std::vector<at::Tensor> inputs;  ///< checkpointed: one for each import
        at::Tensor generator;            ///< checkpointed: its state before the segment
    };
    enum class Graph { None, Built };

    struct Run {
        Phase phase = Phase::Forward;  ///< or Recompute
        int end = 0;                   ///< no step from here on reads these values any more
    };

    std::vector<Pass> runSegments(const std::vector<Segment>& segments, Values& values, Run run);
    Pass runSegment(const Segment& segment, Values& values, Run run);
    /// Runs the steps of pass.segment: reads and writes `values`, drops each after its last reader.
    void runSteps(Pass& pass, Values& values, Graph graph, Run run);
    /// A value that the graph does not reach is one from before the step `first`.
    at::Tensor read(int value, const Values& values, int first, Graph graph);
    bool dropsAfter(int step, int value, Run run) const;
    void backwardThrough(std::vector<Pass>& passes, std::size_t count);
    void backwardPlain(Pass& pass);
    void backwardCheckpointed(Pass& pass);
    at::Tensor generatorState() const;
    void setGeneratorState(const at::Tensor& state) const;
    void arrive(int value, at::Tensor&& gradient);
    void reset();

    const Program& program_;
    Network& network_;
    Recorder& recorder_;
    Accounting& accounting_;
    bool train_;
    Device device_;
    const MixedPrecision* precision_;
    std::vector<Pass> passes_;
    Values pending_;  ///< gradients on their way to the segment that made the value
};

}  // namespace highwater::engine
