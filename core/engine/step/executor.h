#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/engine/device/host_link.h"
#include "core/engine/device/torch_compat.h"
#include "core/engine/layers/layers.h"
#include "core/engine/step/precision.h"
#include "core/engine/step/recorder.h"
#include "core/stack/program.h"
#include "core/step/schedule.h"

/// The tensors of a network, and the LibTorch backend of the training step's schedule (core/step/schedule.h).
/// Private to core/engine.
namespace highwater::engine {

using stack::Program;
using stack::ProgramStep;
using stack::Segment;

/// The parameters and buffers of all steps of a program.
class Network {
public:
    /// Allocates and initializes the tensors, with the default generator in its current state.
    Network(const Program& program, const stack::StackInfo& info, Accounting& accounting,
            const Device& device = {}, bool channelsLast = false, at::ScalarType type = at::kFloat);
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// The tensors of a step, or of the step whose parameters it shares.
    const LayerTensors& tensors(int step) const { return layers_[owners_[static_cast<std::size_t>(step)]]; }
    /// All learned tensors, in order of execution.
    const std::vector<at::Tensor>& parameters() const { return parameters_; }
    /// batch_norm's running mean and variance, in order of execution.
    std::vector<at::Tensor> buffers() const;
    /// Sets all gradients to undefined, which frees their memory.
    void dropGradients();
    /// Sets all gradients to zero; they stay allocated.
    void zeroGradients();

private:
    std::vector<LayerTensors> layers_;  ///< empty for a step that shares another's
    std::vector<std::size_t> owners_;
    std::vector<at::Tensor> parameters_;
    std::vector<std::shared_ptr<void>> hooks_;  ///< hooks that move gradients to their category
};

/// The operations that step::Schedule needs from a backend.
class TorchBackend {
public:
    using Tensor = at::Tensor;
    using Edge = GraphEdge;
    /// A weak reference to a storage: it identifies the storage even after it was freed and another one has
    /// its address.
    using Origin = c10::weak_intrusive_ptr<c10::StorageImpl>;
    using Slot = engine::Slot;

    TorchBackend(const Program& program, Network& network, Recorder& recorder, Accounting& accounting,
                 const Device& device, const MixedPrecision* precision)
        : program_(program),
          network_(network),
          recorder_(recorder),
          accounting_(accounting),
          device_(device),
          precision_(precision),
          link_(std::make_shared<HostLink>(device)) {}

    static bool defined(const at::Tensor& tensor) { return tensor.defined(); }
    static bool leads(const GraphEdge& edge) { return edge.node != nullptr; }
    static GraphEdge edgeOf(const at::Tensor& made);
    static at::Tensor detach(const at::Tensor& tensor) { return tensor.detach(); }
    static Origin originOf(const at::Tensor& tensor) { return tensor.storage().getWeakStorageImpl(); }
    static bool liesIn(const at::Tensor& tensor, const std::vector<Origin>& origins);
    static c10::AutoGradMode gradMode(bool on) { return c10::AutoGradMode(on); }
    std::optional<MixedPrecision::Autocast> recomputation() const;

    void enter(Phase phase, int layer) { recorder_.enter(phase, layer); }
    void nodesBelongTo(int layer) { recorder_.nodesBelongTo(layer); }
    Bytes activations() const { return accounting_.activations(); }
    void layerKept(int layer, Bytes bytes) { recorder_.layerKept(layer, bytes); }

    at::Tensor apply(int step, at::Tensor x, const std::vector<at::Tensor>& with, ForwardMode mode);
    GraphEdge resume(int step, const at::Tensor& x, const at::Tensor& gradient);
    static at::Tensor clone(const at::Tensor& x) { return x.clone(); }
    static void countAsActivation(const at::Tensor& made) { retagTemporary(made, Category::Activations); }
    static at::Tensor border(const at::Tensor& tensor, std::function<void(at::Tensor&&)> arrived);
    static void add(at::Tensor& held, at::Tensor&& gradient);
    static void backward(const at::Tensor& loss, double scale);
    static void backward(const std::vector<GraphEdge>& edges, std::vector<at::Tensor> gradients);
    at::Tensor generatorState() const;
    void setGeneratorState(const at::Tensor& state) const;
    static OfferSaved stashing(step::Stashing<Slot>& stashing) { return OfferSaved(stashing); }
    void send(const step::Stash<Slot>& stash);
    void sent(step::Stash<Slot>& stash);
    void fetch(const step::Stash<Slot>& stash);
    void fetched(step::Stash<Slot>& stash);

private:
    const Program& program_;
    Network& network_;
    Recorder& recorder_;
    Accounting& accounting_;
    Device device_;
    const MixedPrecision* precision_;
    std::shared_ptr<HostLink> link_;
};

/// Runs a program's training steps.
class Executor : public step::Schedule<TorchBackend> {
public:
    /// `precision`: the mixed precision that recomputation uses, as forward does; null: fp32. All arguments
    /// must outlive this object.
    Executor(const Program& program, Network& network, Recorder& recorder, Accounting& accounting, bool train,
             const Device& device = {}, const MixedPrecision* precision = nullptr)
        : Schedule(program, train, TorchBackend(program, network, recorder, accounting, device, precision)) {}

    /// Ends a run, also after an exception: frees all tensors of the step, including the nodes that an
    /// interrupted backward left in autograd's queue.
    void abandon();
};

}  // namespace highwater::engine
