#include "core/predict/axes/axis_walk.h"

#include <algorithm>

#include "core/layers/limits.h"
#include "core/stack/shared.h"

namespace highwater::predict {

namespace {

void collect(const std::vector<stack::Layer>& layers, const stack::Operators& operators,
             std::vector<const stack::Op*>& ops) {
    for (const stack::Layer& layer : layers) {
        ops.push_back(&operators.of(layer));
        if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
            collect(block->layers, operators, ops);
        }
    }
}

}  // namespace

bool mixesAxes(const stack::Experiment& experiment) {
    std::vector<const stack::Op*> ops;
    collect(experiment.stack, stack::Operators(experiment.stack), ops);
    return std::any_of(ops.begin(), ops.end(), [](const stack::Op* op) { return stack::mixesAxes(*op); });
}

AxisWalk::AxisWalk(const stack::Experiment& experiment, const stack::StackInfo& info, int axis)
    : experiment_(experiment),
      info_(info),
      axis_(static_cast<std::size_t>(axis)),
      inputs_(info.layers.size()),
      outputs_(info.layers.size()) {
    collect(experiment.stack, stack::Operators(experiment.stack), ops_);
}

const std::vector<std::int64_t>* AxisWalk::inputs(std::int64_t size) {
    next_ = 0;
    return run(experiment_.stack, size) > 0 ? &inputs_ : nullptr;
}

std::int64_t AxisWalk::run(const std::vector<stack::Layer>& layers, std::int64_t size) {
    for (const stack::Layer& layer : layers) {
        const std::size_t here = next_++;
        inputs_[here] = size;
        const auto* block = std::get_if<stack::Block>(&layer.op);
        size = block ? run(block->layers, size) : output(*ops_[here], here, size);
        if (size < 1 || size > stack::kMostSize) {
            return 0;
        }
        outputs_[here] = size;
    }
    return size;
}

std::int64_t AxisWalk::output(const stack::Op& op, std::size_t layer, std::int64_t size) const {
    const auto* merge = std::get_if<stack::Merge>(&op);
    if (merge == nullptr) {
        return stack::outputSize(size, op, static_cast<int>(info_.layers[layer].input.size()) - 2, axis_);
    }
    const bool repeats = merge->kind != stack::Merge::Kind::Concat;
    for (const int other : info_.layers[layer].with) {
        const std::int64_t with = outputs_[static_cast<std::size_t>(other)];
        if (merge->kind == stack::Merge::Kind::Branch) {
            return with;
        }
        if (with != size && !(repeats && (with == 1 || size == 1))) {
            return 0;
        }
        size = std::max(size, with);
    }
    return size;
}

}  // namespace highwater::predict
