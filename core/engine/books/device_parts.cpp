#include "core/engine/books/device_parts.h"

#include <algorithm>

namespace highwater::engine {

Outside outsideOf(Bytes used, Bytes reserved, std::optional<Bytes> process, std::optional<Bytes> before) {
    const Bytes rest = std::max<Bytes>(0, used - reserved);
    if (process) {
        const Bytes context = std::clamp<Bytes>(*process - reserved, 0, rest);
        return {context, rest - context, true};
    }
    const Bytes others = std::clamp<Bytes>(before.value_or(rest), 0, rest);
    return {rest - others, others, false};
}

wire::DeviceMemory partsOf(const AllocatorBytes& allocator, const Outside& outside, Bytes capacity) {
    return {.tensors = allocator.requested,
            .rounding = allocator.active - allocator.requested,
            .split = allocator.split,
            .cache = allocator.reserved - allocator.active - allocator.split,
            .context = outside.context,
            .others = outside.others,
            .capacity = capacity,
            .contextKnown = outside.contextKnown};
}

double fractionOf(Bytes budget, Bytes total) {
    if (budget >= total) {
        return 1.0;
    }
    return (static_cast<double>(std::max<Bytes>(0, budget)) + 0.5) / static_cast<double>(total);
}

}  // namespace highwater::engine
