#include "core/engine/torch_compat.h"

#include <ATen/ATen.h>
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "core/base/text.h"
#include "core/engine/allocator.h"

namespace highwater::engine {

namespace autograd = torch::autograd;
using autograd::variable_list;

namespace {

/// Stands for one saved tensor. LibTorch checks versions only where there is no hook, so this does.
class Saved final : public autograd::SavedVariableHooks {
public:
    void call_pack_hook(const at::Tensor& tensor) override {
        tensor_ = tensor.tensor_data();
        version_ = autograd::impl::version_counter(tensor).current_version();
        retagTemporary(tensor_, Category::Activations);
    }

    at::Tensor call_unpack_hook() override {
        TORCH_CHECK(autograd::impl::version_counter(tensor_).current_version() == version_,
                    "a tensor of shape ", tensor_.sizes(),
                    " that backward needs was modified by an in-place layer");
        return tensor_;
    }

private:
    at::Tensor tensor_;
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
    if (const BackwardListener call = gListener.call.load(std::memory_order_acquire))
        call(gListener.context.load(std::memory_order_relaxed), function.seqNr());
    return nullptr;
}

/// The operators that a thread is in, outermost first; deeper ones are only counted.
struct Operators {
    std::array<const char*, 32> names{};
    std::size_t depth = 0;
};
thread_local Operators gOperators;

std::unique_ptr<at::ObserverContext> operatorBegins(const at::RecordFunction& function) {
    Operators& now = gOperators;
    if (now.depth < now.names.size())
        now.names[now.depth] = function.name();
    ++now.depth;
    return nullptr;
}

void operatorEnds(const at::RecordFunction&, at::ObserverContext*) {
    if (gOperators.depth > 0)
        --gOperators.depth;
}

/// Takes the gradient at a border.
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

/// Gives gradients out, letting go of them.
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

void installEngineHooks() {
    autograd::set_default_engine_stub(&hookedEngine);
    at::addGlobalCallback(at::RecordFunctionCallback(&nodeBegins)
                              .scopes({at::RecordScope::BACKWARD_FUNCTION})
                              .needsInputs(false)
                              .needsOutputs(false));
}

void listenToBackward(BackwardListener listener, void* context) {
    gListener.call.store(nullptr, std::memory_order_release);
    gListener.context.store(context, std::memory_order_relaxed);
    gListener.call.store(listener, std::memory_order_release);
}

void followOperators(bool on) {
    static std::optional<at::CallbackHandle> handle;
    if (handle)
        at::removeCallback(*handle);
    handle.reset();
    if (on)
        handle = at::addGlobalCallback(at::RecordFunctionCallback(&operatorBegins, &operatorEnds)
                                           .scopes({at::RecordScope::FUNCTION})
                                           .needsInputs(false)
                                           .needsOutputs(false));
}

const char* operatorNow() {
    const Operators& now = gOperators;
    return now.depth == 0 ? nullptr : now.names[std::min(now.depth, now.names.size()) - 1];
}

std::uint64_t nextSequence() {
    return at::sequence_number::peek();
}

GraphEdge edgeOf(const at::Tensor& tensor) {
    const autograd::Edge edge = autograd::impl::gradient_edge(tensor);
    return {edge.function, edge.input_nr};
}

at::Tensor border(const at::Tensor& tensor, std::function<void(at::Tensor&&)> arrived) {
    at::Tensor cut = tensor.detach();
    autograd::set_history(cut, std::make_shared<Sink>(std::move(arrived)));
    return cut;
}

void backward(const at::Tensor& loss, double scale) {
    autograd::Engine::get_default_engine().execute({autograd::impl::gradient_edge(loss)},
                                                   {at::full_like(loss, scale)}, false, false, true);
}

void backward(const std::vector<GraphEdge>& edges, std::vector<at::Tensor> gradients) {
    autograd::edge_list next;
    for (const GraphEdge& edge : edges)
        next.emplace_back(std::static_pointer_cast<autograd::Node>(edge.node), edge.index);
    const at::Tensor start = at::empty({0});
    const auto source = std::make_shared<Source>(std::move(next), std::move(gradients));
    source->add_input_metadata(start);
    autograd::Engine::get_default_engine().execute({autograd::Edge(source, 0)}, {start}, false, false, true);
}

void drainBackward() {
    backward(std::vector<GraphEdge>{}, std::vector<at::Tensor>{});
}

std::shared_ptr<void> afterAccumulate(const at::Tensor& parameter, std::function<void()> done) {
    std::shared_ptr<autograd::Node> accumulator = autograd::impl::grad_accumulator(parameter);
    accumulator->add_post_hook(std::make_unique<AfterAccumulate>(std::move(done)));
    return accumulator;
}

bool ownsItsStorage(const at::Tensor& gradient) {
    return gradient.use_count() == 1 && gradient.has_storage() && gradient.storage().use_count() == 1 &&
           gradient.is_non_overlapping_and_dense();
}

std::string briefError(const std::exception& error) {
    const auto* const torchError = dynamic_cast<const c10::Error*>(&error);
    return base::oneLine(torchError != nullptr ? torchError->what_without_backtrace() : error.what());
}

}  // namespace highwater::engine
