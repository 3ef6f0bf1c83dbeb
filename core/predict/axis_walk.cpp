#include "core/predict/axis_walk.h"

#include <algorithm>
#include <cmath>

#include "core/stack/limits.h"

namespace highwater::predict {

namespace {

using stack::Sizes;

void collect(const std::vector<stack::Layer>& layers, std::vector<const stack::Op*>& ops) {
    for (const stack::Layer& layer : layers) {
        ops.push_back(&layer.op);
        if (const auto* block = std::get_if<stack::Block>(&layer.op))
            collect(block->layers, ops);
    }
}

std::int64_t at(const Sizes& sizes, std::size_t axis) {
    return sizes.size() == 1 ? sizes[0] : sizes[axis];
}

/// floor((size + both - reach - 1) / stride) + 1, where it fits.
std::optional<std::int64_t> slide(std::int64_t size, std::int64_t both, std::int64_t reach,
                                  std::int64_t stride) {
    const std::int64_t room = size + both - reach - 1;
    return room < 0 ? std::nullopt : std::optional(room / stride + 1);
}

/// Convolutions without transposition; reflected and wrapped borders must be there.
std::optional<std::int64_t> convolved(std::int64_t size, const Sizes& kernel, const Sizes& stride,
                                      const Sizes& dilation, const stack::Padding& padding,
                                      stack::PaddingMode mode, std::size_t axis) {
    const std::int64_t reach = at(dilation, axis) * (at(kernel, axis) - 1);
    const std::int64_t both = padding.same ? reach : 2 * at(padding.sizes, axis);
    const std::int64_t larger = both - both / 2;
    if ((mode == stack::PaddingMode::Reflect && larger >= size) ||
        (mode == stack::PaddingMode::Circular && larger > size))
        return std::nullopt;
    return slide(size, both, reach, at(stride, axis));
}

}  // namespace

AxisWalk::AxisWalk(const stack::Experiment& experiment, const stack::StackInfo& info, int axis)
    : experiment_(experiment),
      info_(info),
      axis_(static_cast<std::size_t>(axis)),
      inputs_(info.layers.size()),
      outputs_(info.layers.size()) {
    collect(experiment.stack, ops_);
}

const std::vector<std::int64_t>* AxisWalk::inputs(std::int64_t size) {
    next_ = 0;
    return run(experiment_.stack, size) ? &inputs_ : nullptr;
}

std::optional<std::int64_t> AxisWalk::run(const std::vector<stack::Layer>& layers, std::int64_t size) {
    for (const stack::Layer& layer : layers) {
        const std::size_t here = next_++;
        inputs_[here] = size;
        const auto* block = std::get_if<stack::Block>(&layer.op);
        const auto made = block ? run(block->layers, size) : output(layer.op, here, size);
        if (!made || *made < 1 || *made > stack::kMostSize)
            return std::nullopt;
        outputs_[here] = *made;
        size = *made;
    }
    return size;
}

std::optional<std::int64_t> AxisWalk::output(const stack::Op& op, std::size_t layer,
                                             std::int64_t size) const {
    const std::size_t a = axis_;
    if (const auto* c = std::get_if<stack::Conv>(&op))
        return convolved(size, c->kernelSize, c->stride, c->dilation, c->padding, c->paddingMode, a);
    if (const auto* s = std::get_if<stack::SeparableConv>(&op))
        return convolved(size, s->kernelSize, s->stride, s->dilation, s->padding, s->paddingMode, a);
    if (const auto* f = std::get_if<stack::CustomConv>(&op))
        return convolved(size, f->kernelSize, {1}, {1}, f->padding, stack::PaddingMode::Zeros, a);
    if (const auto* t = std::get_if<stack::ConvTranspose>(&op))
        return (size - 1) * at(t->stride, a) - 2 * at(t->padding, a) +
               at(t->dilation, a) * (at(t->kernelSize, a) - 1) + at(t->outputPadding, a) + 1;
    if (const auto* p = std::get_if<stack::Pool>(&op)) {
        const std::int64_t kernel = at(p->kernelSize, a);
        return slide(size, 2 * at(p->padding, a), kernel - 1, p->stride.empty() ? kernel : at(p->stride, a));
    }
    if (const auto* u = std::get_if<stack::Upsample>(&op)) {
        if (!u->size.empty())
            return at(u->size, a);
        const double scale = u->scaleFactor.size() == 1 ? u->scaleFactor[0] : u->scaleFactor[a];
        return static_cast<std::int64_t>(std::min(std::floor(static_cast<double>(size) * scale),
                                                  static_cast<double>(stack::kMostSize) + 1));
    }
    if (std::holds_alternative<stack::Merge>(op)) {
        const int with = info_.layers[layer].with;
        return outputs_[static_cast<std::size_t>(with)] == size ? std::optional(size) : std::nullopt;
    }
    return size;
}

}  // namespace highwater::predict
