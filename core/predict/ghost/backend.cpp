#include <algorithm>
#include <utility>

#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/layers.h"

namespace highwater::predict::ghost {

Autocast::~Autocast() {
    if (machine_.cuda) {
        cudaState(machine_).casts.clear();
    }
}

bool GhostBackend::liesIn(const Tensor& tensor, const std::vector<Origin>& origins) {
    return std::count(origins.begin(), origins.end(), originOf(tensor)) > 0;
}

Tensor GhostBackend::apply(int step, Tensor x, const std::vector<Tensor>& with, ForwardMode mode) {
    const stack::ProgramStep& what = program_.steps[static_cast<std::size_t>(step)];
    const stack::LayerInfo& layer = info_.layers[static_cast<std::size_t>(what.layer)];
    Dims output(layer.output);
    std::int64_t samples = x->dims[0], of = layer.input[0];
    for (std::size_t i = 0; i < with.size(); ++i) {  // a layer that reads nothing has one, however many are
                                                     // given
        if (const auto its = info_.layers[static_cast<std::size_t>(layer.with[i])].output[0]; its > of) {
            of = its;
            samples = with[i]->dims[0];
        }
    }
    output[0] = stack::readsNothing(*what.op) ? output[0] : output[0] * samples / of;
    return applyLayer(machine_, *what.op, layers_[static_cast<std::size_t>(what.owner)], x, with, output,
                      mode);
}

NodePtr GhostBackend::resume(int step, const Tensor& x, const Tensor& gradient) {
    const stack::ProgramStep& what = program_.steps[static_cast<std::size_t>(step)];
    const bool before = std::exchange(machine_.resumes, true);
    const Tensor made = applyLayer(machine_, *what.op, layers_[static_cast<std::size_t>(what.owner)], x, {},
                                   gradient->dims, ForwardMode::Recompute);
    machine_.resumes = before;
    return made->edge;
}

namespace {

/// Records that the bytes of these slots start being copied.
void beginTransfer(Machine& machine, const std::vector<std::shared_ptr<Slot>>& slots, bool toHost) {
    WalkTransfer transfer{machine.walk.ops.size(), toHost};
    for (const auto& slot : slots) {
        transfer.bytes += slot->bytes.expected;
        slot->transfer = machine.walk.transfers.size();
    }
    machine.walk.transfers.push_back(transfer);
}

/// Records that the device waits for the transfer of these slots.
void endTransfer(Machine& machine, const std::vector<std::shared_ptr<Slot>>& slots) {
    machine.op("offload", "transfer", 0).transfer = static_cast<std::int32_t>(slots.front()->transfer);
}

}  // namespace

void GhostBackend::send(const step::Stash<Slot>& stash) {
    beginTransfer(machine_, stash.sent, true);
}

void GhostBackend::sent(step::Stash<Slot>& stash) {
    endTransfer(machine_, stash.sent);
    for (const auto& slot : stash.sent) {
        slot->device.reset();
    }
    stash.sent.clear();
}

void GhostBackend::fetch(const step::Stash<Slot>& stash) {
    machine_.label("offload");
    for (const auto& slot : stash.due) {
        slot->device = machine_.allocate(slot->bytes);
        machine_.retag(slot->device, Category::Activations);
    }
    beginTransfer(machine_, stash.due, false);
}

void GhostBackend::fetched(step::Stash<Slot>& stash) {
    endTransfer(machine_, stash.due);
    stash = {};
}

void GhostBackend::backward(std::vector<NodePtr> edges, std::vector<Tensor> gradients) {
    std::vector<std::pair<NodePtr, Tensor>> starts;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        starts.emplace_back(std::move(edges[i]), std::move(gradients[i]));
    }
    machine_.backward(std::move(starts));
}

}  // namespace highwater::predict::ghost
