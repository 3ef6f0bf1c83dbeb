#include "core/memory/caching_allocator.h"

#include <cassert>

#include "core/memory/allocator_rules.h"

namespace highwater::memory {

using base::Bytes;

namespace {

constexpr std::int64_t kFirstAddress = kLargeUnit;

}  // namespace

CachingAllocator::CachingAllocator(const AllocatorConfig& config, const DeviceMemory& device)
    : config_(config), device_(device), nextAddress_(kFirstAddress) {}

base::Result<CachingAllocator> CachingAllocator::create(const AllocatorConfig& config,
                                                        const DeviceMemory& device) {
    HIGHWATER_TRY(check(config));
    HIGHWATER_TRY(check(device));
    DeviceMemory capped = device;
    if (!device.allowed && config.memoryFraction < 1) {
        capped.allowed = static_cast<Bytes>(config.memoryFraction * static_cast<double>(device.total));
    }
    return CachingAllocator(config, capped);
}

std::optional<BlockIndex> CachingAllocator::allocate(Bytes bytes, Stream stream) {
    assert(bytes > 0 && stream < kMostStreams);
    if (bytes >= kTooLarge) {
        refuse({bytes, bytes, stream, false});
        return std::nullopt;
    }
    reach(stream);
    if (doneEvents_ > 0) {
        finishDoneEvents();
    }
    const Bytes rounded = roundedSize(bytes, config_);
    const Request request{bytes, rounded, stream, isSmall(rounded)};
    BlockIndex found = takeCached(request);
    if (found == kNoBlock) {
        found = fromDevice(request);
    }
    if (found == kNoBlock) {
        fail(request);
        return std::nullopt;
    }
    return handOut(found, request);
}

void CachingAllocator::free(BlockIndex index) {
    const Block& block = blocks_[index];
    assert(block.state == BlockState::Allocated);
    for (PoolStats* stats : {&stats_.all, &statsOf(block.small)}) {
        stats->allocations.add(-1);
        stats->allocatedBytes.add(-block.size);
    }
    report(DeviceEvent::Kind::FreeRequested, block.address, block.requested, block.stream);
    if (block.size >= config_.maxSplitSize) {
        stats_.oversizeAllocations.add(-1);
    }
    if (block.usedElsewhere) {
        recordEvents(index);
    } else {
        cacheFreed(index);
    }
}

void CachingAllocator::reach(Stream stream) {
    if (events_.size() > stream) {
        return;
    }
    events_.resize(stream + 1U);
    pools_.resize((stream + 1U) * 2U);
}

BlockIndex CachingAllocator::takeCached(const Request& request) {
    if (collectsGarbage()) {
        ++searches_[request.small];
    }
    const SortedBlocks& free = pool(request.stream, request.small).free;
    const auto place = bestFit(free, request);
    if (place == free.end() || !mayServe(free.at(place).key.size, request.rounded, config_)) {
        return kNoBlock;
    }
    const BlockIndex found = free.at(place).block;
    pool(request.stream, request.small).free.eraseAt(place);
    return found;
}

bool CachingAllocator::hasCached(Bytes bytes, Stream stream) const {
    if (bytes >= kTooLarge || stream >= events_.size()) {
        return false;
    }
    const Bytes rounded = roundedSize(bytes, config_);
    const Request request{bytes, rounded, stream, isSmall(rounded)};
    const SortedBlocks& free = pool(stream, request.small).free;
    const auto place = bestFit(free, request);
    return place != free.end() && mayServe(free.at(place).key.size, rounded, config_);
}

/// A block of an expandable segment is ranked by its size plus the addresses it could grow into. A slightly
/// larger block that cannot grow is therefore preferred to it.
SortedBlocks::Place CachingAllocator::bestFit(const SortedBlocks& free, const Request& request) const {
    auto place = free.lowerBound({request.rounded, 0});
    if (!config_.expandableSegments || place == free.end()) {
        return place;
    }
    for (auto next = free.after(place); next != free.end(); next = free.after(place)) {
        if (growableSize(free.at(next).block) >= growableSize(free.at(place).block)) {
            break;
        }
        place = next;
    }
    return place;
}

BlockIndex CachingAllocator::handOut(BlockIndex found, const Request& request) {
    const bool wasPart = blocks_[found].partOfSegment();
    const Bytes whole = blocks_[found].size;
    const bool cut = splits(whole, request.rounded, config_);
    const BlockIndex given = cut ? cutFront(found, request.rounded) : found;
    Block& block = blocks_[given];
    block.state = BlockState::Allocated;
    block.requested = request.asked;
    report(DeviceEvent::Kind::Allocate, block.address, request.asked, block.stream);
    for (PoolStats* stats : {&stats_.all, &statsOf(request.small)}) {
        if (!config_.expandableSegments) {
            stats->inactiveSplit.add(int(cut) - int(wasPart));
            stats->inactiveSplitBytes.add((cut ? whole - block.size : 0) - (wasPart ? whole : 0));
        }
        stats->allocations.add(1);
        stats->allocatedBytes.add(block.size);
        stats->active.add(1);
        stats->activeBytes.add(block.size);
        stats->requestedBytes.add(request.asked);
    }
    if (block.size >= config_.maxSplitSize) {
        stats_.oversizeAllocations.add(1);
    }
    return given;
}

BlockIndex CachingAllocator::cutFront(BlockIndex found, Bytes size) {
    Block front = blocks_[found];
    front.size = size;
    const BlockIndex index = blocks_.add(front);
    chain(front.previous, index, found);
    Block& rest = blocks_[found];
    rest.address += size;
    rest.size -= size;
    toCache(found);
    return index;
}

/// Links `block` between its neighbors; kNoBlock means the edge of the segment.
void CachingAllocator::chain(BlockIndex before, BlockIndex block, BlockIndex after) {
    blocks_[block].previous = before;
    blocks_[block].next = after;
    if (before != kNoBlock) {
        blocks_[before].next = block;
    }
    if (after != kNoBlock) {
        blocks_[after].previous = block;
    }
}

void CachingAllocator::toCache(BlockIndex index) {
    Block& block = blocks_[index];
    block.state = BlockState::Free;
    block.requested = 0;
    block.freedAt = searches_[block.small];
    pool(block.stream, block.small).free.insert({block.size, block.address}, index);
}

void CachingAllocator::fromCache(BlockIndex index) {
    const Block& block = blocks_[index];
    pool(block.stream, block.small).free.erase({block.size, block.address});
}

void CachingAllocator::cacheFreed(BlockIndex index) {
    const Bytes size = blocks_[index].size, requested = blocks_[index].requested;
    report(DeviceEvent::Kind::FreeCompleted, blocks_[index].address, requested, blocks_[index].stream);
    blocks_[index].state = BlockState::Free;
    std::int64_t splitBlocks = 0, splitBytes = 0;
    for (const BlockIndex neighbor : {blocks_[index].previous, blocks_[index].next}) {
        if (const Bytes merged = merge(index, neighbor); merged > 0) {
            --splitBlocks;
            splitBytes -= merged;
        }
    }
    toCache(index);
    const Block& block = blocks_[index];
    if (block.partOfSegment()) {
        ++splitBlocks;
        splitBytes += block.size;
    }
    for (PoolStats* stats : {&stats_.all, &statsOf(block.small)}) {
        if (!config_.expandableSegments) {
            stats->inactiveSplit.add(splitBlocks);
            stats->inactiveSplitBytes.add(splitBytes);
        }
        stats->active.add(-1);
        stats->activeBytes.add(-size);
        stats->requestedBytes.add(-requested);
    }
}

/// Merges `other`, a neighbor in the same state (Free or Unmapped) that is in its set, into `into`, which is
/// not in a set. Returns the bytes gained.
Bytes CachingAllocator::merge(BlockIndex into, BlockIndex other) {
    if (other == kNoBlock || blocks_[other].state != blocks_[into].state) {
        return 0;
    }
    Block& block = blocks_[into];
    const Block gone = blocks_[other];
    if (gone.state == BlockState::Free) {
        fromCache(other);
    } else {
        pool(gone.stream, gone.small).unmapped.erase({0, gone.address});
    }
    blocks_.remove(other);
    if (block.previous == other) {
        block.address = gone.address;
        chain(gone.previous, into, block.next);
    } else {
        chain(block.previous, into, gone.next);
    }
    block.size += gone.size;
    return gone.size;
}

}  // namespace highwater::memory
