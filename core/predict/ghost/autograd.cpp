#include <algorithm>
#include <queue>

#include "core/predict/ghost/ghost.h"
#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// LibTorch's backward engine (torch/csrc/autograd/engine.cpp), for one thread.
namespace highwater::predict::ghost {

namespace {

struct Before {
    bool operator()(const NodePtr& a, const NodePtr& b) const { return a->sequence < b->sequence; }
};

}  // namespace

/// Destroys a long chain of nodes iteratively, not recursively.
Node::~Node() {
    std::vector<NodePtr> rest;
    const auto take = [&rest](std::vector<NodePtr>& edges) {
        for (NodePtr& edge : edges) {
            if (edge) {
                rest.push_back(std::move(edge));
            }
        }
    };
    take(next);
    while (!rest.empty()) {
        const NodePtr node = std::move(rest.back());
        rest.pop_back();
        if (node.use_count() == 1) {
            take(node->next);
        }
    }
}

NodePtr Machine::node(std::initializer_list<const Tensor*> inputs) {
    return node(std::vector<const Tensor*>(inputs));
}

NodePtr Machine::node(const std::vector<const Tensor*>& inputs) {
    if (!gradMode) {
        return nullptr;
    }
    const auto needs = [](const Tensor* tensor) { return *tensor && (*tensor)->needsGradient(); };
    if (std::none_of(inputs.begin(), inputs.end(), needs)) {
        return nullptr;
    }
    auto made = std::make_shared<Node>();
    made->sequence = sequence_++;
    made->blocks = walk.blocks.size();
    mayStop(made->sequence);
    made->next.resize(std::max(inputs.size(), Gradients::kFewest));
    std::size_t i = 0;
    for (const Tensor* tensor : inputs) {
        made->next[i++] = *tensor ? (*tensor)->edge : nullptr;
    }
    return made;
}

NodePtr Machine::sink(std::function<void(Machine&, Node&, Tensor&, Gradients&)> arrived) {
    auto made = std::make_shared<Node>();
    made->sequence = sequence_++;
    made->apply = std::move(arrived);
    return made;
}

void Machine::save(const NodePtr& node, const Tensor& tensor) {
    if (!node || !tensor || !tensor->storage) {
        return;
    }
    retagTemporary(tensor->storage, Category::Activations);
    save(node, tensor->storage);
}

/// Only activations are offloaded: parameters and the input stay on the device.
void Machine::save(const NodePtr& node, const StoragePtr& storage) {
    if (frame_) {
        node->frame = frame_;
        learnStop(node->sequence, storage && storage->block >= node->blocks);
    }
    if (stashing == nullptr || !storage) {
        node->saved.push_back({storage, nullptr});
        return;
    }
    const Estimate& bytes = walk.blocks[storage->block].bytes;
    const Bytes sendable = storage->category == Category::Activations ? bytes.expected : 0;
    auto slot = stashing->slotOf([&](const Slot& each) { return each.device == storage; }, sendable,
                                 [&] { return std::make_shared<Slot>(Slot{storage, bytes, 0}); });
    node->saved.push_back(slot ? Saved{nullptr, std::move(slot)} : Saved{storage, nullptr});
}

void Machine::beginRecomputation(const std::vector<Tensor>& inputs, const Tensor& generator) {
    std::vector<StoragePtr> held;
    if (generator) {
        held.push_back(generator->storage);
    }
    if (nested_ == 0 && !numbers_.empty()) {
        held.insert(held.end(), numbers_.back().begin(), numbers_.back().end());
        numbers_.pop_back();
    }
    if (nested_ > 0) {
        --nested_;  // the enclosing segment has saved the inputs, and frees them
    } else {
        for (const Tensor& input : inputs) {
            held.push_back(input->storage);
        }
    }
    frame_ = std::make_shared<const std::vector<StoragePtr>>(std::move(held));
    firstNode_ = sequence_;
    if (++recomputations_ > stops.size()) {
        stops.resize(recomputations_);
    }
}

void Machine::endRecomputation() {
    frame_.reset();
    stopped_ = false;
}

void Machine::keepGenerators(const stack::Segment& segment) {
    if (!target.inPython || cuda || frame_) {
        return;
    }
    for (const stack::Segment& inner : segment.inner) {
        if (inner.checkpoint && inner.drawsRandomly) {
            numbers_.back().push_back(ops.generatorState(*this)->storage);
        }
        keepGenerators(inner);
    }
}

void Machine::keepNumber(const NodePtr& node) {
    constexpr Bytes kNumber = 8;
    if (!target.inPython || cuda || frame_) {
        return;
    }
    if (node) {
        save(node, empty({}, DType::Int64));
    } else if (!numbers_.empty() && phase_ == Phase::Forward) {
        numbers_.back().push_back(allocate(kNumber));
    }
}

void Machine::saveInputs() {
    if (!frame_ && target.inPython) {
        numbers_.emplace_back();
    } else if (frame_) {
        ++nested_;
        const std::uint64_t node = sequence_++;
        learnStop(node, false);
        mayStop(node);
    }
}

/// The operator of this node begins; with `layer`, this is the layer's first node.
void Machine::mayStop(std::uint64_t node, bool layer) {
    if (frame_ && !learnsStops) {
        const EarlyStop& stop = stops[recomputations_ - 1];
        const std::uint64_t number = node - firstNode_ + 1;
        stopped_ = number > stop.node || (!layer && number == stop.node && !stop.computes);
    }
}

void Machine::learnStop(std::uint64_t node, bool computes) {
    if (!learnsStops) {
        return;
    }
    EarlyStop& stop = stops[recomputations_ - 1];
    const std::uint64_t number = node - firstNode_ + 1;
    if (number > stop.node) {
        stop = {number, false};
    }
    stop.computes = stop.computes || (number == stop.node && computes);
}

void Machine::listen(int layer) {
    owners_.emplace_back(sequence_, layer);
}

/// A node's time and memory are attributed to the layer that created it; an accumulator's to the preceding
/// layer.
void Machine::nodeBegins(std::uint64_t sequence) {
    if (phase_ != Phase::Backward || sequence == Node::kAccumulator) {
        return;
    }
    const auto after = std::upper_bound(owners_.begin(), owners_.end(), sequence,
                                        [](std::uint64_t s, const auto& owner) { return s < owner.first; });
    if (after != owners_.begin()) {
        layer_ = std::prev(after)->second;
    }
}

void Machine::backward(const Tensor& loss) {
    op("loss", "elementwise", 0);
    const Tensor gradient = empty({}, loss->dtype);  // referenced by the caller of backward
    if (!loss->edge) {
        return;
    }
    if (target.inPython) {
        firstGradient = gradient->storage;
    }
    ++visit_;
    findDependencies(loss->edge);
    loss->edge->buffer = gradient;
    run({loss->edge});
}

void Machine::backward(std::vector<std::pair<NodePtr, Tensor>>&& starts) {
    std::vector<std::pair<NodePtr, Tensor>> given = std::move(starts);
    const std::uint64_t source = sequence_++;
    ++visit_;
    for (const auto& [node, gradient] : given) {
        findDependencies(node);
    }
    for (const auto& [node, gradient] : given) {
        ++node->dependencies;
    }
    nodeBegins(source);
    std::vector<NodePtr> ready;
    for (auto& [node, gradient] : given) {
        ops.accumulate(*this, node->buffer, std::move(gradient));
        if (--node->dependencies == 0) {
            ready.push_back(node);
        }
    }
    given.clear();
    // A GPU's thread starts with the first node that is ready, while the others are still being queued.
    if (cuda && ready.size() > 1) {
        const NodePtr first = std::move(ready.front());
        ready.erase(ready.begin());
        evaluate(first, ready);
    }
    run(std::move(ready));
}

void Machine::run(std::vector<NodePtr> ready) {
    std::priority_queue<NodePtr, std::vector<NodePtr>, Before> queue;
    while (true) {
        for (NodePtr& each : ready) {
            queue.push(std::move(each));
        }
        ready.clear();
        if (queue.empty()) {
            return;
        }
        const NodePtr node = queue.top();
        queue.pop();
        evaluate(node, ready);
    }
}

void Machine::findDependencies(const NodePtr& root) {
    std::vector<Node*> waiting;
    const auto see = [&](Node* node) {
        if (node->visit == visit_) {
            return;
        }
        node->visit = visit_;
        node->dependencies = 0;
        waiting.push_back(node);
    };
    see(root.get());
    while (!waiting.empty()) {
        Node* const node = waiting.back();
        waiting.pop_back();
        for (const NodePtr& next : node->next) {
            if (next) {
                see(next.get());
                ++next->dependencies;
            }
        }
    }
}

namespace {

/// As validate_outputs in engine.cpp.
void validate(Machine& machine, const Node& node, Gradients& out) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Node::Input& input = node.inputs[i];
        if (!node.next[i] || !out[i]) {
            continue;
        }
        if (out[i]->dims != input.dims) {
            out[i] = sumTo(machine, out[i], input.dims);
        }
        if (out[i]->dtype != input.dtype) {
            const bool channelsLast = out[i]->channelsLast, ordered = out[i]->strides && !out[i]->contiguous;
            out[i] = ordered ? emptyLike(machine, out[i], input.dtype)
                             : emptyAs(machine, input.dims, input.dtype, channelsLast);
        }
    }
}

}  // namespace

/// When the node is done, the incoming gradients are freed first, then what it saved. The outgoing gradients
/// are passed on and freed last.
void Machine::evaluate(const NodePtr& node, std::vector<NodePtr>& ready) {
    Gradients out(node->next.size());
    {
        Tensor gradient = std::move(node->buffer);
        node->buffer.reset();
        nodeBegins(node->sequence);
        node->apply(*this, *node, gradient, out);
        if (node->frame) {  // the checkpoint's hook released them
            node->saved.clear();
        }
        validate(*this, *node, out);
    }
    node->frame.reset();
    for (Saved& saved : node->saved) {
        saved = {};
    }
    node->saved.clear();
    for (std::size_t i = 0; i < node->next.size(); ++i) {
        const NodePtr& next = node->next[i];
        if (!next) {
            continue;
        }
        if (out[i]) {
            ops.accumulate(*this, next->buffer, std::move(out[i]));
        }
        if (--next->dependencies == 0) {
            ready.push_back(next);
        }
    }
    drop(out);
}

}  // namespace highwater::predict::ghost
