#include <algorithm>
#include <cassert>

#include "core/memory/allocator_rules.h"
#include "core/memory/caching_allocator.h"

namespace highwater::memory {

using base::Bytes;

/// An expandable segment is mapped and unmapped in units of this size.
Bytes CachingAllocator::unitOf(bool small) const {
    return small ? kSmallUnit : config_.largeSegmentSize;
}

bool CachingAllocator::idle(BlockIndex index) const {
    return index != kNoBlock &&
           (blocks_[index].state == BlockState::Free || blocks_[index].state == BlockState::Unmapped);
}

bool CachingAllocator::hasRoom(BlockIndex from, Bytes bytes) const {
    Bytes room = 0;
    for (; room < bytes && idle(from); from = blocks_[from].next) {
        room += blocks_[from].size;
    }
    return room >= bytes;
}

Bytes CachingAllocator::growableSize(BlockIndex index) const {
    const Block& block = blocks_[index];
    const bool grows = block.next != kNoBlock && blocks_[block.next].state == BlockState::Unmapped;
    return block.size + (grows ? blocks_[block.next].size : 0);
}

/// Returns the first block of the lowest contiguous range of free and unmapped blocks that has room for the
/// request. If there is none, reserves a new address range, 9/8 as large as the device's memory.
BlockIndex CachingAllocator::findRoom(const Request& request, Bytes unit) {
    SortedBlocks& unmapped = pool(request.stream, request.small).unmapped;
    for (auto place = unmapped.begin(); place != unmapped.end(); place = unmapped.after(place)) {
        BlockIndex start = unmapped.at(place).block;
        if (idle(blocks_[start].previous)) {
            start = blocks_[start].previous;
        }
        if (hasRoom(start, request.rounded)) {
            return start;
        }
    }
    Block range;
    range.size = roundUp(device_.total + device_.total / 8, unit);
    range.stream = request.stream;
    range.small = request.small;
    range.state = BlockState::Unmapped;
    if (request.rounded > range.size) {
        return kNoBlock;
    }
    const auto address = newAddress(range.size, request);
    if (!address) {
        return kNoBlock;
    }
    range.address = range.range = *address;
    const BlockIndex index = blocks_.add(range);
    unmapped.insert({0, range.address}, index);
    return index;
}

/// If memory runs out, the part mapped so far stays in the cache.
BlockIndex CachingAllocator::growExpandable(const Request& request) {
    const Bytes unit = unitOf(request.small);
    BlockIndex found = findRoom(request, unit);
    if (found == kNoBlock) {
        return kNoBlock;
    }
    if (blocks_[found].state == BlockState::Unmapped &&
        !map(found, std::min(blocks_[found].size, request.rounded), unit)) {
        return kNoBlock;
    }
    while (blocks_[found].size < request.rounded) {
        const BlockIndex next = blocks_[found].next;
        const Bytes missing = request.rounded - blocks_[found].size;
        if (!map(next, std::min(missing, blocks_[next].size), unit)) {
            return kNoBlock;
        }
        found = next;
    }
    fromCache(found);
    return found;
}

/// Maps memory to the first `bytes` of an unmapped block, in whole units. Maps nothing if the driver cannot
/// provide all of it.
bool CachingAllocator::map(BlockIndex index, Bytes bytes, Bytes unit) {
    const Bytes mapped = roundUp(bytes, unit);
    if (!gives(mapped)) {
        return false;
    }
    const Block before = blocks_[index];
    assert(before.state == BlockState::Unmapped && (before.address - before.range) % unit == 0 &&
           mapped <= before.size);
    SortedBlocks& unmapped = pool(before.stream, before.small).unmapped;
    unmapped.erase({0, before.address});
    if (mapped < before.size) {
        Block rest = before;
        rest.address += mapped;
        rest.size -= mapped;
        const BlockIndex restIndex = blocks_.add(rest);
        chain(index, restIndex, before.next);
        unmapped.insert({0, rest.address}, restIndex);
    }
    blocks_[index].size = mapped;
    blocks_[index].state = BlockState::Free;
    merge(index, blocks_[index].previous);
    merge(index, blocks_[index].next);
    toCache(index);
    countReserved(before.small, mapped);
    report(DeviceEvent::Kind::SegmentMap, before.address, mapped, before.stream);
    return true;
}

/// Unmaps the whole units inside a free block; the remainders at its ends stay cached. A segment without
/// mapped memory disappears.
void CachingAllocator::unmap(BlockIndex index) {
    const Block whole = blocks_[index];
    const Bytes unit = unitOf(whole.small);
    const std::int64_t offset = whole.address - whole.range;
    const std::int64_t begin = whole.range + roundUp(offset, unit);
    const std::int64_t end = whole.range + (offset + whole.size) / unit * unit;
    if (begin >= end) {
        return;
    }
    fromCache(index);
    const auto keep = [&](std::int64_t from, std::int64_t to) {
        Block part = whole;
        part.address = from;
        part.size = to - from;
        return blocks_.add(part);
    };
    if (begin > whole.address) {
        const BlockIndex part = keep(whole.address, begin);
        chain(whole.previous, part, index);
        toCache(part);
    }
    if (end < whole.address + whole.size) {
        const BlockIndex part = keep(end, whole.address + whole.size);
        chain(index, part, whole.next);
        toCache(part);
    }
    Block& block = blocks_[index];
    block.address = begin;
    block.size = end - begin;
    block.state = BlockState::Unmapped;
    merge(index, block.previous);
    merge(index, block.next);
    countReserved(whole.small, begin - end);
    report(DeviceEvent::Kind::SegmentUnmap, begin, end - begin, whole.stream);
    if (block.partOfSegment()) {
        pool(block.stream, block.small).unmapped.insert({0, block.address}, index);
    } else {
        blocks_.remove(index);
    }
}

}  // namespace highwater::memory
