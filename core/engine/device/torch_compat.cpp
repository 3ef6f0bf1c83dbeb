#include "core/engine/device/torch_compat.h"

#include <ATen/ATen.h>
#include <ATen/SequenceNumber.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/engine/device/device.h"
#include "core/engine/device/graph_node.h"

namespace highwater::engine {

namespace autograd = torch::autograd;
using autograd::variable_list;

namespace {

thread_local step::Stashing<Slot>* gStashing = nullptr;

/// A tensor on a part of a storage.
at::Tensor viewOf(const at::Storage& storage, std::int64_t offset, at::IntArrayRef sizes,
                  at::IntArrayRef strides, const at::TensorOptions& options) {
    const at::AutoDispatchBelowADInplaceOrView plain;
    at::Tensor made = at::empty({0}, options);
    made.set_(storage, offset, sizes, strides);
    return made;
}

/// The slot of a saved tensor's storage, created if needed; nullptr: it is not offloaded. Only activations
/// are offloaded: parameters and the input stay on the device anyway.
std::shared_ptr<Slot> slotOf(const at::Tensor& saved) {
    if (gStashing == nullptr || !saved.has_storage()) {
        return nullptr;
    }
    const at::Storage& storage = saved.storage();
    const auto bytes = static_cast<Bytes>(storage.nbytes());
    return gStashing->slotOf(
        [&](const Slot& slot) {
            return slot.device.defined() &&
                   slot.device.storage().unsafeGetStorageImpl() == storage.unsafeGetStorageImpl();
        },
        categoryOf(saved) == Category::Activations ? bytes : 0,
        [&] {
            return std::make_shared<Slot>(
                Slot{viewOf(storage, 0, {bytes}, {1}, saved.options().dtype(at::kByte)), {}, {}});
        });
}

/// The hook of one saved tensor. LibTorch checks a saved tensor's version only if it has no hook, so this
/// class checks it.
class Saved final : public autograd::SavedVariableHooks {
public:
    void call_pack_hook(const at::Tensor& tensor) override {
        tensor_ = tensor.tensor_data();
        counter_ = autograd::impl::version_counter(tensor);
        version_ = counter_->current_version();
        retagTemporary(tensor_, Category::Activations);
        if (std::shared_ptr<Slot> slot = slotOf(tensor_)) {
            offloaded_ = Offloaded{std::move(slot), tensor_.storage_offset(), tensor_.sizes().vec(),
                                   tensor_.strides().vec(), tensor_.options()};
            tensor_.reset();
        }
    }

    at::Tensor call_unpack_hook() override {
        const at::Tensor tensor = offloaded_ ? offloaded_->tensor() : tensor_;
        TORCH_CHECK(counter_->current_version() == version_, "a tensor of shape ", tensor.sizes(),
                    " that backward needs was modified by an in-place layer");
        return tensor;
    }

private:
    struct Offloaded {
        std::shared_ptr<Slot> slot;
        std::int64_t offset;
        std::vector<std::int64_t> sizes, strides;
        at::TensorOptions options;
        at::Tensor tensor() const { return viewOf(slot->device.storage(), offset, sizes, strides, options); }
    };
    at::Tensor tensor_;
    std::optional<Offloaded> offloaded_;
    std::optional<c10::VariableVersion> counter_;
    std::uint32_t version_ = 0;
};

class HookedEngine final : public autograd::Engine {
public:
    std::unique_ptr<autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
        return std::make_unique<Saved>();
    }
};

autograd::Engine& hookedEngine() {
    static auto* const engine = new HookedEngine;  // never destroyed: its threads may outlive main
    return *engine;
}

struct Listener {
    std::atomic<BackwardListener> call{nullptr};
    std::atomic<void*> context{nullptr};
};
Listener gListener;

std::unique_ptr<at::ObserverContext> nodeBegins(const at::RecordFunction& function) {
    if (const BackwardListener call = gListener.call.load(std::memory_order_acquire)) {
        call(gListener.context.load(std::memory_order_relaxed), function.seqNr());
    }
    return nullptr;
}

/// The stack of operators that a thread is in, outermost first. Beyond a depth of 32 they are only counted.
struct Operators {
    std::array<const char*, 32> names{};
    std::size_t depth = 0;
};
thread_local Operators gOperators;

std::unique_ptr<at::ObserverContext> operatorBegins(const at::RecordFunction& function) {
    Operators& now = gOperators;
    if (now.depth < now.names.size()) {
        now.names[now.depth] = function.name();
    }
    ++now.depth;
    return nullptr;
}

void operatorEnds(const at::RecordFunction&, at::ObserverContext*) {
    if (gOperators.depth > 0) {
        --gOperators.depth;
    }
}

/// A node that passes the gradient that arrives at a border() to a function.
class Sink final : public autograd::Node {
public:
    explicit Sink(std::function<void(at::Tensor&&)> arrived) : arrived_(std::move(arrived)) {}

private:
    variable_list apply(variable_list&& gradients) override {
        arrived_(std::move(gradients.at(0)));
        return {};
    }
    std::function<void(at::Tensor&&)> arrived_;
};

/// A root node that hands out its gradients and keeps no reference to them.
class Source final : public autograd::Node {
public:
    Source(autograd::edge_list&& edges, variable_list&& gradients)
        : Node(std::move(edges)), gradients_(std::move(gradients)) {}

private:
    variable_list apply(variable_list&&) override { return std::move(gradients_); }
    variable_list gradients_;
};

class AfterAccumulate final : public autograd::FunctionPostHook {
public:
    explicit AfterAccumulate(std::function<void()> done) : done_(std::move(done)) {}
    variable_list operator()(const variable_list& outputs, const variable_list&) override {
        done_();
        return outputs;
    }

private:
    std::function<void()> done_;
};

}  // namespace

OfferSaved::OfferSaved(step::Stashing<Slot>& stashing) : before_(std::exchange(gStashing, &stashing)) {}
OfferSaved::~OfferSaved() {
    gStashing = before_;
}

void installEngineHooks() {
    static const bool installed = [] {
        autograd::set_default_engine_stub(&hookedEngine);
        at::addGlobalCallback(at::RecordFunctionCallback(&nodeBegins)
                                  .scopes({at::RecordScope::BACKWARD_FUNCTION})
                                  .needsInputs(false)
                                  .needsOutputs(false));
        return true;
    }();
    static_cast<void>(installed);
}

void listenToBackward(BackwardListener listener, void* context) {
    gListener.call.store(nullptr, std::memory_order_release);
    gListener.context.store(context, std::memory_order_relaxed);
    gListener.call.store(listener, std::memory_order_release);
}

void followOperators(bool on) {
    static std::optional<at::CallbackHandle> handle;
    static int listeners = 0;
    listeners += on ? 1 : -1;
    if (listeners == 0 && handle) {
        at::removeCallback(*handle);
        handle.reset();
    }
    if (listeners > 0 && !handle) {
        handle = at::addGlobalCallback(at::RecordFunctionCallback(&operatorBegins, &operatorEnds)
                                           .scopes({at::RecordScope::FUNCTION})
                                           .needsInputs(false)
                                           .needsOutputs(false));
    }
}

const char* operatorNow() {
    const Operators& now = gOperators;
    return now.depth == 0 ? nullptr : now.names[std::min(now.depth, now.names.size()) - 1];
}

std::uint64_t nextSequence() {
    return at::sequence_number::peek();
}

namespace {

std::shared_ptr<void> held(const NodePointer& node) {
    return node ? std::make_shared<NodePointer>(node) : nullptr;
}

}  // namespace

GraphEdge edgeOf(const at::Tensor& tensor) {
    const autograd::Edge edge = autograd::impl::gradient_edge(tensor);
    return {held(edge.function), edge.input_nr};
}

at::Tensor border(const at::Tensor& tensor, std::function<void(at::Tensor&&)> arrived) {
    at::Tensor cut = tensor.detach();
    autograd::set_history(cut, makeNode<Sink>(std::move(arrived)));
    return cut;
}

void backward(const at::Tensor& loss, double scale) {
    autograd::Engine::get_default_engine().execute({autograd::impl::gradient_edge(loss)},
                                                   {at::full_like(loss, scale)}, false, false, true);
}

void backward(const std::vector<GraphEdge>& edges, std::vector<at::Tensor> gradients) {
    autograd::edge_list next;
    for (const GraphEdge& edge : edges) {
        next.emplace_back(*std::static_pointer_cast<NodePointer>(edge.node), edge.index);
    }
    const at::Tensor start = at::empty({0});
    const NodePointer source = makeNode<Source>(std::move(next), std::move(gradients));
    source->add_input_metadata(start);
    autograd::Engine::get_default_engine().execute({autograd::Edge(source, 0)}, {start}, false, false, true);
}

void drainBackward() {
    backward(std::vector<GraphEdge>{}, std::vector<at::Tensor>{});
}

std::shared_ptr<void> afterAccumulate(const at::Tensor& parameter, std::function<void()> done) {
    const NodePointer accumulator = autograd::impl::grad_accumulator(parameter);
    accumulator->add_post_hook(std::make_unique<AfterAccumulate>(std::move(done)));
    return held(accumulator);
}

bool ownsItsStorage(const at::Tensor& gradient) {
    return gradient.use_count() == 1 && gradient.has_storage() && gradient.storage().use_count() == 1 &&
           gradient.is_non_overlapping_and_dense();
}

memory::TorchVersion libtorchVersion() {
    return {TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR};
}

bool isOutOfMemory(const std::exception& error) {
    return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
}

namespace {

template <class Context, class Backend, class Op, class Precision>
void setConvolutionsTf32(Context& context, void (Context::*set)(Backend, Op, Precision), bool on) {
    for (const Op op : {Op::CONV, Op::RNN}) {
        (context.*set)(Backend::CUDA, op, on ? Precision::TF32 : Precision::IEEE);
    }
}

/// LibTorch from 2.9 on warns if setAllowTF32CuDNN is used; the new function, setFloat32Precision, first took
/// strings. setAllowTF32CuBLAS does not warn, and it sets both the old and the new setting of matrix
/// products, which LibTorch requires to agree.
template <class Context>
void allowTf32(Context& context, bool on) {
    context.setAllowTF32CuBLAS(on);
    if constexpr (requires(std::string word) { context.setFloat32Precision(word, word, word); }) {
        for (const char* const op : {"conv", "rnn"}) {
            context.setFloat32Precision("cuda", op, on ? "tf32" : "ieee");
        }
    } else if constexpr (requires { &Context::setFloat32Precision; }) {
        setConvolutionsTf32(context, &Context::setFloat32Precision, on);
    } else {
        context.setAllowTF32CuDNN(on);
    }
}

}  // namespace

void allowTf32(bool on) {
    allowTf32(at::globalContext(), on);
}

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
AutocastState autocastState(c10::DeviceType kind) {
    return {at::autocast::is_autocast_enabled(kind), at::autocast::get_autocast_dtype(kind),
            at::autocast::is_autocast_cache_enabled()};
}

void setAutocastState(c10::DeviceType kind, const AutocastState& state) {
    at::autocast::set_autocast_enabled(kind, state.on);
    at::autocast::set_autocast_dtype(kind, state.type);
    at::autocast::set_autocast_cache_enabled(state.cache);
}
#else
AutocastState autocastState(c10::DeviceType kind) {
    const bool cuda = kind == c10::DeviceType::CUDA;
    return {cuda ? at::autocast::is_enabled() : at::autocast::is_cpu_enabled(),
            cuda ? at::autocast::get_autocast_gpu_dtype() : at::autocast::get_autocast_cpu_dtype(),
            at::autocast::is_autocast_cache_enabled()};
}

void setAutocastState(c10::DeviceType kind, const AutocastState& state) {
    const bool cuda = kind == c10::DeviceType::CUDA;
    cuda ? at::autocast::set_enabled(state.on) : at::autocast::set_cpu_enabled(state.on);
    cuda ? at::autocast::set_autocast_gpu_dtype(state.type)
         : at::autocast::set_autocast_cpu_dtype(state.type);
    at::autocast::set_autocast_cache_enabled(state.cache);
}
#endif

std::string briefError(const std::exception& error) {
    const auto* const torchError = dynamic_cast<const c10::Error*>(&error);
    return base::oneLine(torchError != nullptr ? torchError->what_without_backtrace() : error.what());
}

}  // namespace highwater::engine
