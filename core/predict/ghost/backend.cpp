#include <algorithm>
#include <utility>

#include "core/predict/cuda/ops.h"
#include "core/predict/ghost/layers.h"

namespace highwater::predict::ghost {

Autocast::~Autocast() {
    if (machine_.cuda) {
        cudaState(machine_).casts.clear();
    }
}

bool GhostBackend::liesIn(const Tensor& tensor, const std::vector<Origin>& origins) {
    return std::count(origins.begin(), origins.end(), tensor->storage->block) > 0;
}

Tensor GhostBackend::apply(int step, Tensor x, const std::vector<Tensor>& with, ForwardMode mode) {
    const stack::ProgramStep& what = program_.steps[static_cast<std::size_t>(step)];
    const stack::LayerInfo& layer = info_.layers[static_cast<std::size_t>(what.layer)];
    Dims output(layer.output);
    std::int64_t samples = x->dims[0], of = layer.input[0];
    for (std::size_t i = 0; i < with.size(); ++i) {  // what reads nothing has one, however many are given
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

void GhostBackend::backward(std::vector<NodePtr> edges, std::vector<Tensor> gradients) {
    std::vector<std::pair<NodePtr, Tensor>> starts;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        starts.emplace_back(std::move(edges[i]), std::move(gradients[i]));
    }
    machine_.backward(std::move(starts));
}

}  // namespace highwater::predict::ghost
