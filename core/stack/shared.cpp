#include "core/stack/shared.h"

namespace highwater::stack {

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
