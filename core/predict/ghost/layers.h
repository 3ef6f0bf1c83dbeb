#pragma once

#include <utility>
#include <vector>

#include "core/predict/ghost/ops.h"
#include "core/stack/program.h"
#include "core/step/schedule.h"

/// The engine's layers (core/engine) on ghosts, and the backend that runs the schedule of a training step
/// (step::Schedule) on ghosts. Private to core/predict.
namespace highwater::predict::ghost {

/// Makes a layer's tensors as the engine does. `input` is N, C, spatial.
LayerState makeLayer(Machine& machine, const stack::Op& op, const stack::Shape& input);

/// Runs a layer's forward and returns its output, of shape `output`. `with` are the other inputs of a merge.
Tensor applyLayer(Machine& machine, const stack::Op& op, const LayerState& state, const Tensor& x,
                  const std::vector<Tensor>& with, const Dims& output, ForwardMode mode);

/// Sets the machine's autograd mode during its lifetime, as c10::AutoGradMode does.
class GradMode {
public:
    GradMode(Machine& machine, bool on) : machine_(machine), before_(std::exchange(machine.gradMode, on)) {}
    ~GradMode() { machine_.gradMode = before_; }
    GradMode(const GradMode&) = delete;
    GradMode& operator=(const GradMode&) = delete;

private:
    Machine& machine_;
    bool before_;
};

/// Tensors saved during its lifetime are offered for offloading.
class Offering {
public:
    Offering(Machine& machine, step::Stashing<Slot>& stashing)
        : machine_(machine), before_(std::exchange(machine.stashing, &stashing)) {}
    ~Offering() { machine_.stashing = before_; }
    Offering(const Offering&) = delete;
    Offering& operator=(const Offering&) = delete;

private:
    Machine& machine_;
    step::Stashing<Slot>* before_;
};

/// Mixed precision on a GPU: casts of parameters are cached during its lifetime.
class Autocast {
public:
    explicit Autocast(Machine& machine) : machine_(machine) {}
    ~Autocast();
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;

private:
    Machine& machine_;
};

/// A checkpointed segment is recomputed during its lifetime.
class Recomputation {
public:
    explicit Recomputation(Machine& machine) : machine_(machine), autocast_(machine) {}
    ~Recomputation() { machine_.endRecomputation(); }
    Recomputation(const Recomputation&) = delete;
    Recomputation& operator=(const Recomputation&) = delete;

private:
    Machine& machine_;
    Autocast autocast_;
};

/// The backend that step::Schedule requires, on ghosts.
class GhostBackend {
public:
    using Tensor = ghost::Tensor;
    using Edge = NodePtr;
    using Origin = std::uint32_t;  ///< a block's number; numbers are not reused
    using Slot = ghost::Slot;
    static constexpr Origin kNowhere = ~Origin{0};

    GhostBackend(const stack::Program& program, const stack::StackInfo& info,
                 const std::vector<LayerState>& layers, Machine& machine)
        : program_(program), info_(info), layers_(layers), machine_(machine) {}

    static bool defined(const Tensor& tensor) { return tensor != nullptr; }
    static bool leads(const NodePtr& edge) { return edge != nullptr; }
    static NodePtr edgeOf(const Tensor& made) { return made->edge; }
    static Tensor detach(const Tensor& tensor) { return Machine::detach(tensor); }
    static Origin originOf(const Tensor& tensor) {
        return tensor->storage ? tensor->storage->block : kNowhere;
    }
    static bool liesIn(const Tensor& tensor, const std::vector<Origin>& origins);
    GradMode gradMode(bool on) { return {machine_, on}; }
    void checkpoints() { machine_.saveInputs(); }
    void checkpointsWithin(const stack::Segment& segment) { machine_.keepGenerators(segment); }
    void recomputes(const std::vector<Tensor>& inputs, const Tensor& generator) {
        if (machine_.target.inPython) {
            machine_.beginRecomputation(inputs, generator);
        }
    }
    Recomputation recomputation() { return Recomputation(machine_); }

    void enter(Phase phase, int layer) { machine_.enter(phase, layer); }
    void nodesBelongTo(int layer) { machine_.listen(layer); }
    Bytes activations() const { return machine_.live(Category::Activations); }
    void layerKept(int layer, Bytes bytes) {
        machine_.walk.activationBytes[static_cast<std::size_t>(layer)] = bytes;
    }

    Tensor apply(int step, Tensor x, const std::vector<Tensor>& with, ForwardMode mode);
    NodePtr resume(int step, const Tensor& x, const Tensor& gradient);
    Tensor clone(const Tensor& x) { return machine_.ops.clone(machine_, x); }
    void countAsActivation(const Tensor& made) {
        machine_.retagTemporary(made->storage, Category::Activations);
    }
    template <class Arrived>
    Tensor border(const Tensor& tensor, Arrived arrived) {
        Tensor cut = detach(tensor);
        cut->edge = machine_.sink(
            [arrived](Machine&, Node&, Tensor& gradient, Gradients&) { arrived(std::move(gradient)); });
        return cut;
    }
    void add(Tensor& held, Tensor&& gradient) { machine_.ops.arrive(machine_, held, std::move(gradient)); }
    /// The size of a gradient does not depend on `scale`.
    void backward(const Tensor& loss, double /*scale*/) { machine_.backward(loss); }
    void backward(std::vector<NodePtr> edges, std::vector<Tensor> gradients);
    Tensor generatorState() { return machine_.ops.generatorState(machine_); }
    static void setGeneratorState(const Tensor&) {}
    Offering stashing(step::Stashing<Slot>& stashing) { return {machine_, stashing}; }
    void send(const step::Stash<Slot>& stash);
    void sent(step::Stash<Slot>& stash);
    void fetch(const step::Stash<Slot>& stash);
    void fetched(step::Stash<Slot>& stash);

private:
    const stack::Program& program_;
    const stack::StackInfo& info_;
    const std::vector<LayerState>& layers_;
    Machine& machine_;
};

}  // namespace highwater::predict::ghost
