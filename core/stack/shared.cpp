#include "core/stack/shared.h"

namespace highwater::stack {

bool learns(const Op& op) {
    if (const auto* const norm = std::get_if<Norm>(&op)) {
        return norm->affine;
    }
    if (const auto* const norm = std::get_if<LayerNorm>(&op)) {
        return norm->affine;
    }
    return std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op) ||
           std::holds_alternative<SeparableConv>(op) || std::holds_alternative<CustomConv>(op) ||
           std::holds_alternative<InplaceAbn>(op) || std::holds_alternative<Prelu>(op) ||
           std::holds_alternative<Learned>(op) || std::holds_alternative<Linear>(op) ||
           std::holds_alternative<RelativePositionBias>(op) || std::holds_alternative<Head>(op);
}

const Op& Operators::of(const Layer& layer) const {
    const auto* const shared = std::get_if<Shared>(&layer.op);
    const auto found = shared ? named_.find(shared->with) : named_.end();
    return found == named_.end() ? layer.op : *found->second;
}

void Operators::collect(const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
        if (!layer.id.empty()) {
            named_.emplace(layer.id, &layer.op);
        }
        if (const auto* const block = std::get_if<Block>(&layer.op)) {
            collect(block->layers);
        }
    }
}

}  // namespace highwater::stack
