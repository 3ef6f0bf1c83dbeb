#include "core/capture/address_space.h"

#include <algorithm>
#include <iterator>

namespace highwater::capture {

namespace {
constexpr base::Bytes kUnit = 512, kMost = base::Bytes{1} << 62;
}

base::Bytes AddressSpace::rounded(base::Bytes bytes) {
    return std::max<base::Bytes>(1, (bytes + kUnit - 1) / kUnit) * kUnit;
}

std::optional<std::int64_t> AddressSpace::take(base::Bytes bytes) {
    if (bytes > kMost) {
        return {};
    }
    const base::Bytes size = rounded(bytes);
    const auto fit = bySize_.lower_bound({size, 0});
    if (fit == bySize_.end()) {
        return takeAtEnd(size);
    }
    const auto [hole, offset] = *fit;
    removeHole(holes_.find(offset));
    if (hole > size) {
        addHole(offset + size, hole - size);
    }
    return offset;
}

/// Takes from the hole at the end, if there is one.
std::optional<std::int64_t> AddressSpace::takeAtEnd(base::Bytes size) {
    const auto last = holes_.empty() ? holes_.end() : std::prev(holes_.end());
    const bool open = last != holes_.end() && last->first + last->second == end_;
    const std::int64_t offset = open ? last->first : end_;
    if (offset > kMost - size) {
        return {};
    }
    if (open) {
        removeHole(last);
    }
    end_ = offset + size;
    return offset;
}

void AddressSpace::give(std::int64_t offset, base::Bytes bytes) {
    base::Bytes size = rounded(bytes);
    auto next = holes_.lower_bound(offset);
    if (next != holes_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == offset) {
            offset = before->first;
            size += before->second;
            removeHole(before);
        }
    }
    if (next != holes_.end() && next->first == offset + size) {
        size += next->second;
        removeHole(next);
    }
    addHole(offset, size);
}

void AddressSpace::addHole(std::int64_t offset, base::Bytes bytes) {
    holes_.emplace(offset, bytes);
    bySize_.emplace(bytes, offset);
}

void AddressSpace::removeHole(std::map<std::int64_t, base::Bytes>::iterator hole) {
    bySize_.erase({hole->second, hole->first});
    holes_.erase(hole);
}

}  // namespace highwater::capture
