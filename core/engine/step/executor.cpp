#include "core/engine/step/executor.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "core/engine/device/device.h"

namespace highwater::engine {

Network::Network(const Program& program, const stack::StackInfo& info, Accounting& accounting,
                 const Device& device, bool channelsLast, at::ScalarType type) {
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const ProgramStep& step = program.steps[i];
        accounting.enter(Phase::Setup, step.layer);
        owners_.push_back(static_cast<std::size_t>(step.owner));
        if (owners_.back() != i) {
            layers_.emplace_back();
            continue;
        }
        layers_.push_back(makeLayer(*step.op, info.layers[static_cast<std::size_t>(step.layer)].input, device,
                                    channelsLast, type));
        for (const at::Tensor& parameter : layers_.back().parameters) {
            parameters_.push_back(parameter);
        }
    }
    accounting.enter(Phase::Setup, -1);
    for (const at::Tensor& parameter : parameters_) {
        const auto* const held = &parameter;
        hooks_.push_back(afterAccumulate(parameter, [held] { retag(held->grad(), Category::Gradients); }));
    }
}

std::vector<at::Tensor> Network::buffers() const {
    std::vector<at::Tensor> all;
    for (const LayerTensors& layer : layers_) {
        if (layer.runningMean.defined()) {
            all.insert(all.end(), {layer.runningMean, layer.runningVar});
        }
    }
    return all;
}

void Network::dropGradients() {
    for (at::Tensor& parameter : parameters_) {
        parameter.mutable_grad().reset();
    }
}

void Network::zeroGradients() {
    const c10::AutoGradMode noGraph(false);
    for (at::Tensor& parameter : parameters_) {
        if (at::Tensor& gradient = parameter.mutable_grad(); gradient.defined()) {
            gradient.zero_();
        }
    }
}

GraphEdge TorchBackend::edgeOf(const at::Tensor& made) {
    return made.requires_grad() ? engine::edgeOf(made) : GraphEdge{};
}

bool TorchBackend::liesIn(const at::Tensor& tensor, const std::vector<Origin>& origins) {
    const c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
    return std::any_of(origins.begin(), origins.end(),
                       [&](const Origin& each) { return each._unsafe_get_target() == storage; });
}

std::optional<MixedPrecision::Autocast> TorchBackend::recomputation() const {
    return precision_ != nullptr ? std::make_optional<MixedPrecision::Autocast>(*precision_) : std::nullopt;
}

at::Tensor TorchBackend::apply(int step, at::Tensor x, const std::vector<at::Tensor>& with,
                               ForwardMode mode) {
    const stack::Op& op = *program_.steps[static_cast<std::size_t>(step)].op;
    return applyLayer(op, network_.tensors(step), std::move(x), with, mode);
}

GraphEdge TorchBackend::resume(int step, const at::Tensor& x, const at::Tensor& gradient) {
    return resumeLayer(*program_.steps[static_cast<std::size_t>(step)].op, network_.tensors(step), x,
                       gradient);
}

at::Tensor TorchBackend::border(const at::Tensor& tensor, std::function<void(at::Tensor&&)> arrived) {
    return engine::border(tensor, std::move(arrived));
}

void TorchBackend::add(at::Tensor& held, at::Tensor&& gradient) {
    const c10::AutoGradMode noGraph(false);
    if (!gradient.defined()) {
        return;
    }
    if (!held.defined()) {
        held = std::move(gradient);
    } else if (ownsItsStorage(held)) {
        held.add_(gradient);
    } else {
        held = held + gradient;
    }
}

void TorchBackend::backward(const at::Tensor& loss, double scale) {
    engine::backward(loss, scale);
}

void TorchBackend::backward(const std::vector<GraphEdge>& edges, std::vector<at::Tensor> gradients) {
    engine::backward(edges, std::move(gradients));
}

/// The state is a CPU tensor on every device. The state of the CPU's generator counts as activations.
at::Tensor TorchBackend::generatorState() const {
    at::Tensor state = defaultGenerator(device_).get_state();
    retag(state, Category::Activations);
    return state;
}

void TorchBackend::setGeneratorState(const at::Tensor& state) const {
    at::Generator generator = defaultGenerator(device_);
    generator.set_state(state);
}

void TorchBackend::send(const step::Stash<Slot>& stash) {
    std::vector<HostLink::Copy> copies;
    for (const auto& slot : stash.sent) {
        slot->host = link_->onHost(slot->device);
        copies.push_back({slot->device, slot->host});
    }
    const auto transfer = link_->begin(copies, true);
    for (const auto& slot : stash.sent) {
        slot->transfer = transfer;
    }
}

void TorchBackend::sent(step::Stash<Slot>& stash) {
    link_->wait(stash.sent.front()->transfer);
    for (const auto& slot : stash.sent) {
        slot->device.reset();
    }
    stash.sent.clear();
}

void TorchBackend::fetch(const step::Stash<Slot>& stash) {
    std::vector<HostLink::Copy> copies;
    for (const auto& slot : stash.due) {
        slot->device = at::empty(slot->host.sizes(), at::TensorOptions(device_.torch()).dtype(at::kByte));
        retag(slot->device, Category::Activations);
        copies.push_back({slot->host, slot->device});
    }
    const auto transfer = link_->begin(copies, false);
    for (const auto& slot : stash.due) {
        slot->transfer = transfer;
    }
}

void TorchBackend::fetched(step::Stash<Slot>& stash) {
    link_->wait(stash.due.front()->transfer);
    for (const auto& slot : stash.due) {
        slot->host.reset();
    }
    stash = {};
}

void Executor::abandon() {
    reset();
    drainBackward();
}

}  // namespace highwater::engine
