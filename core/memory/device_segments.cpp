#include "core/memory/device_segments.h"

#include <iterator>

#include "core/memory/allocator_rules.h"

namespace highwater::memory {

using base::Bytes;

std::optional<BlockInfo> DeviceSegments::take(const DeviceEvent& event) noexcept {
    try {
        return apply(event);
    } catch (...) {
        return contradiction();
    }
}

DeviceSegments::Taken DeviceSegments::apply(const DeviceEvent& event) {
    using enum DeviceEvent::Kind;
    switch (event.kind) {
        case Allocate:
            return allocate(event);
        case FreeRequested:
            return requestFree(event);
        case FreeCompleted:
            return completeFree(event);
        case SegmentAllocate:
            return addSegment(event);
        case SegmentFree:
            return freeSegment(event);
        case SegmentMap:
            return map(event);
        case SegmentUnmap:
            return unmap(event);
        case OutOfMemory:
            return outOfMemory();
    }
    return contradiction();
}

DeviceSegments::Taken DeviceSegments::contradiction() {
    ++counts_.inconsistencies;
    return std::nullopt;
}

/// The allocator always takes the front of a free range.
DeviceSegments::Taken DeviceSegments::allocate(const DeviceEvent& event) {
    const auto part = parts_.find(event.address);
    if (part == parts_.end() || part->second.state != BlockState::Free || event.bytes <= 0 ||
        event.bytes > part->second.size) {
        return contradiction();
    }
    const Bytes range = part->second.size, rounded = roundedSize(event.bytes, config_);
    if (rounded > range) {
        return contradiction();
    }
    const Bytes size = splits(range, rounded, config_) ? rounded : range;
    const auto segment = segmentOf(event.address);
    if (size < range) {
        const auto rest = parts_.emplace_hint(std::next(part), event.address + size,
                                              Part{range - size, 0, BlockState::Free});
        countFree(segment, part, -1);
        countFree(segment, rest, 1);
    } else {
        countFree(segment, part, -1);
    }
    part->second = {size, event.bytes, BlockState::Allocated};
    totals_.requested += event.bytes;
    totals_.rounding += size - event.bytes;
    ++counts_.allocations;
    gaveBack_ = retried_ = false;
    return BlockInfo{event.address, size, event.bytes, BlockState::Allocated};
}

DeviceSegments::Taken DeviceSegments::requestFree(const DeviceEvent& event) {
    const auto found = parts_.find(event.address);
    if (found == parts_.end() || found->second.state != BlockState::Allocated) {
        return contradiction();
    }
    Part& part = found->second;
    part.state = BlockState::Waiting;
    totals_.requested -= part.requested;
    totals_.rounding -= part.size - part.requested;
    totals_.pending += part.size;
    totals_.pendingRequested += part.requested;
    --counts_.allocations;
    ++counts_.pending;
    gaveBack_ = retried_ = false;
    return BlockInfo{event.address, part.size, part.requested, BlockState::Allocated};
}

DeviceSegments::Taken DeviceSegments::completeFree(const DeviceEvent& event) {
    const auto found = parts_.find(event.address);
    if (found == parts_.end() || found->second.state != BlockState::Waiting) {
        return contradiction();
    }
    const Part part = found->second;
    found->second = {part.size, 0, BlockState::Free};
    totals_.pending -= part.size;
    totals_.pendingRequested -= part.requested;
    --counts_.pending;
    joinFree(segmentOf(event.address), found);
    return BlockInfo{event.address, part.size, part.requested, BlockState::Waiting};
}

/// A segment is small if it has the size of small segments; no large segment is that small.
DeviceSegments::Taken DeviceSegments::addSegment(const DeviceEvent& event) {
    if (!mayAdd(event)) {
        return contradiction();
    }
    countRetry();
    insertRange(event.address, {event.bytes, 0, numberOf(event.stream), event.bytes == kSmallUnit});
    ++counts_.segments;
    ++counts_.deviceAllocations;
    return std::nullopt;
}

DeviceSegments::Taken DeviceSegments::freeSegment(const DeviceEvent& event) {
    const auto segment = segments_.find(event.address);
    const auto part = parts_.find(event.address);
    if (segment == segments_.end() || segment->second.unit > 0 || segment->second.size != event.bytes ||
        part->second.state != BlockState::Free || part->second.size != event.bytes) {
        return contradiction();
    }
    countFree(segment, part, -1);
    parts_.erase(part);
    segments_.erase(segment);
    --counts_.segments;
    ++counts_.deviceFrees;
    gaveBack_ = true;
    return std::nullopt;
}

/// A small request maps exactly one small unit, a large one maps large units. So the size tells the pool.
DeviceSegments::Taken DeviceSegments::map(const DeviceEvent& event) {
    const bool small = event.bytes == kSmallUnit;
    const Bytes unit = small ? kSmallUnit : config_.largeSegmentSize;
    if (!mayAdd(event) || event.bytes % unit != 0) {
        return contradiction();
    }
    countRetry();
    insertRange(event.address, {event.bytes, unit, numberOf(event.stream), small});
    ++counts_.deviceAllocations;
    return std::nullopt;
}

DeviceSegments::Taken DeviceSegments::unmap(const DeviceEvent& event) {
    const auto segment = segmentOf(event.address);
    if (segment == segments_.end() || segment->second.unit == 0 || event.bytes <= 0 ||
        event.bytes % segment->second.unit != 0 ||
        (event.address - segment->first) % segment->second.unit != 0) {
        return contradiction();
    }
    const auto part = std::prev(parts_.upper_bound(event.address));
    if (part->second.state != BlockState::Free ||
        event.bytes > part->first + part->second.size - event.address) {
        return contradiction();
    }
    removeRange(segment, part, event.address, event.bytes);
    ++counts_.deviceFrees;
    gaveBack_ = true;
    return std::nullopt;
}

DeviceSegments::Taken DeviceSegments::outOfMemory() {
    ++counts_.outOfMemories;
    counts_.retries += retried_ ? 0 : 1;
    gaveBack_ = retried_ = false;
    return std::nullopt;
}

/// Counts a retry if nothing is left in the cache. Garbage collection and the release of oversize blocks
/// usually leave something; a retry leaves nothing.
void DeviceSegments::countRetry() {
    if (gaveBack_ && !retried_ && totals_.cache == 0) {
        ++counts_.retries;
        retried_ = true;
    }
    gaveBack_ = false;
}

}  // namespace highwater::memory
