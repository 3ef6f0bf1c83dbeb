#pragma once

#include "core/predict/ghost_ops.h"
#include "core/stack/program.h"

/// The engine's layers, network and executor (core/engine) over ghosts. Private to core/predict.
namespace highwater::predict::ghost {

/// A layer's tensors, as the engine makes them. `input` is N, C, spatial.
LayerState makeLayer(Machine& machine, const stack::Op& op, const stack::Shape& input);

/// True where the layer writes its output over its input.
bool worksInPlace(const stack::Op& op);

/// The layer's output, of shape `output`; `with` is what a merge brings back.
Tensor applyLayer(Machine& machine, const stack::Op& op, const LayerState& state, const Tensor& x,
                  const Tensor& with, const Dims& output, ForwardMode mode);

/// The schedule of one training step: segments forward, then backward in reverse (core/engine/executor.h).
class Executor {
public:
    Executor(const stack::Program& program, const stack::StackInfo& info,
             const std::vector<LayerState>& layers, Machine& machine, bool train);

    std::vector<Tensor> forward(const Tensor& input);
    void backward(const Tensor& loss);

private:
    using Values = std::vector<Tensor>;  ///< at v + 1
    struct Pass {
        const stack::Segment* segment = nullptr;
        std::vector<NodePtr> exports;
        std::vector<Tensor> inputs;
        Tensor generator;
    };
    struct Run {
        Phase phase = Phase::Forward;
        int end = 0;
    };

    std::vector<Pass> runSegments(const std::vector<stack::Segment>& segments, Values& values, Run run);
    Pass runSegment(const stack::Segment& segment, Values& values, Run run);
    void runSteps(Pass& pass, Values& values, bool graph, Run run);
    void runStep(Pass& pass, Values& values, bool graph, Run run, int step,
                 const std::vector<std::uint32_t>& foreign);
    Tensor read(int value, const Values& values, int first, bool graph);
    Tensor border(const Tensor& tensor, int value);
    bool dropsAfter(int step, int value, Run run) const;
    void backwardThrough(std::vector<Pass>& passes, std::size_t count);
    void backwardPlain(Pass& pass);
    void backwardCheckpointed(Pass& pass);

    const stack::Program& program_;
    const stack::StackInfo& info_;
    const std::vector<LayerState>& layers_;
    Machine& machine_;
    bool train_;
    std::vector<Pass> passes_;
    Values pending_;
};

}  // namespace highwater::predict::ghost
