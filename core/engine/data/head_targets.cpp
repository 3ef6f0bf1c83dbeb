#include "core/engine/data/head_targets.h"

#include <ATen/ATen.h>

#include "core/engine/device/device.h"

namespace highwater::engine {

namespace {

/// A tensor for the target at a head's size; `target` itself if the sizes are equal.
at::Tensor targetOfSize(const at::Tensor& target, const stack::Shape& head) {
    if (!target.defined()) {
        return target;
    }
    const stack::Shape shape = stack::withSizesOf(target.sizes().vec(), head);
    if (target.sizes() == at::IntArrayRef(shape)) {
        return target;
    }
    return zeroInput(shape, target.options(), target.suggest_memory_format());
}

}  // namespace

at::Tensor zeroInput(const stack::Shape& shape, const at::TensorOptions& options, at::MemoryFormat format) {
    at::Tensor made = at::empty(shape, options, format).zero_();
    retag(made, Category::Input);
    return made;
}

HeadTargets::HeadTargets(const stack::StackInfo& info, const at::Tensor& target) {
    const auto dims = static_cast<std::int64_t>(info.input.size()) - 2;
    for (const stack::LayerInfo& layer : info.layers) {
        if (layer.type != "head") {
            continue;
        }
        targets_.push_back(targetOfSize(target, layer.output));
        if (!targets_.back().is_same(target)) {
            samplers_.emplace_back(target, targets_.back(), dims);
        }
    }
    targets_.push_back(target);
}

void HeadTargets::sample() const {
    for (const TargetSampler& head : samplers_) {
        head.sample();
    }
}

}  // namespace highwater::engine
