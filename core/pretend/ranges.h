#pragma once

#include <map>
#include <optional>

#include "core/pretend/memory.h"

namespace highwater::pretend {

using Ranges = std::map<std::uintptr_t, std::size_t>;  // begin and size in bytes; ranges do not overlap

inline std::size_t roundUp(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

inline std::optional<Range> rangeIn(const Ranges& ranges, const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto next = ranges.upper_bound(at);
    if (next == ranges.begin()) {
        return std::nullopt;
    }
    --next;
    if (at - next->first >= next->second) {
        return std::nullopt;
    }
    return Range{next->first, next->second};
}

}  // namespace highwater::pretend
