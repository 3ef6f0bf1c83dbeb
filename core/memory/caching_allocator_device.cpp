#include <algorithm>
#include <cassert>

#include "core/memory/allocator_rules.h"
#include "core/memory/caching_allocator.h"

namespace highwater::memory {

using base::Bytes;

namespace {

/// No addresses beyond this one are used, so that sums of addresses and sizes fit in 64 bits.
constexpr std::int64_t kLastAddress = std::int64_t{1} << 62;

}  // namespace

Bytes CachingAllocator::limit() const {
    return std::min(device_.capacity, device_.allowed.value_or(device_.capacity));
}

/// Returns std::nullopt if the addresses are used up.
std::optional<std::int64_t> CachingAllocator::newAddress(Bytes bytes, const Request& request) {
    if (placement_) {
        return placement_(bytes, request.stream, request.small);
    }
    if (nextAddress_ > kLastAddress) {
        return std::nullopt;
    }
    const std::int64_t address = nextAddress_;
    nextAddress_ += bytes;
    return address;
}

bool CachingAllocator::gives(Bytes bytes) const {
    return driver_ ? driver_(bytes) : reserved() + bytes <= device_.capacity;
}

bool CachingAllocator::collectsGarbage() const {
    return device_.allowed && config_.garbageCollectionThreshold > 0;
}

BlockIndex CachingAllocator::fromDevice(const Request& request) {
    if (collectsGarbage()) {
        collectGarbage();
    }
    BlockIndex found = tryDevice(request);
    if (found == kNoBlock && releaseOversize(request)) {
        found = tryDevice(request);
    }
    if (found == kNoBlock) {
        releaseCached();
        ++stats_.allocationRetries;
        found = tryDevice(request);
    }
    return found;
}

BlockIndex CachingAllocator::tryDevice(const Request& request) {
    if (device_.allowed &&
        reserved() + segmentSize(request.rounded, config_.largeSegmentSize) > *device_.allowed) {
        return kNoBlock;
    }
    return config_.expandableSegments ? growExpandable(request) : newSegment(request);
}

BlockIndex CachingAllocator::newSegment(const Request& request) {
    const Bytes size = segmentSize(request.rounded, config_.largeSegmentSize);
    if (!gives(size)) {
        return kNoBlock;
    }
    const auto address = newAddress(size, request);
    if (!address) {
        return kNoBlock;
    }
    Block block;
    block.address = *address;
    block.size = size;
    block.stream = request.stream;
    block.small = request.small;
    block.state = BlockState::Free;
    countReserved(request.small, size);
    for (PoolStats* stats : {&stats_.all, &statsOf(request.small)}) {
        stats->segments.add(1);
    }
    if (size >= config_.maxSplitSize) {
        stats_.oversizeSegments.add(1);
    }
    report(DeviceEvent::Kind::SegmentAllocate, block.address, size, request.stream);
    return blocks_.add(block);
}

void CachingAllocator::countReserved(bool small, Bytes change) {
    stats_.all.reservedBytes.add(change);
    statsOf(small).reservedBytes.add(change);
    ++(change > 0 ? stats_.deviceAllocations : stats_.deviceFrees);
}

/// If max_split_size is set: releases one free block of at least that size that is large enough for the
/// request, otherwise several, largest first. Returns true if they are large enough in total.
bool CachingAllocator::releaseOversize(const Request& request) {
    if (config_.maxSplitSize == kUnlimited || config_.expandableSegments) {
        return false;
    }
    SortedBlocks& free = pool(request.stream, request.small).free;
    const Bytes wanted = std::max(request.rounded, config_.maxSplitSize);
    if (const auto place = free.lowerBound({wanted, 0}); place != free.end()) {
        releaseSegment(free.at(place).block);
        return true;
    }
    Bytes released = 0;
    while (released < wanted && !free.empty()) {
        const auto& largest = free.at(free.before(free.end()));
        if (largest.key.size < config_.maxSplitSize) {
            break;
        }
        released += largest.key.size;
        releaseSegment(largest.block);
    }
    return released >= wanted;
}

std::optional<std::int64_t> CachingAllocator::oversizeFor(Bytes bytes, Stream stream) const {
    if (config_.maxSplitSize == kUnlimited || config_.expandableSegments || bytes >= kTooLarge ||
        stream >= events_.size()) {
        return std::nullopt;
    }
    const Bytes rounded = roundedSize(bytes, config_);
    const SortedBlocks& free = pool(stream, isSmall(rounded)).free;
    if (const auto place = free.lowerBound({std::max(rounded, config_.maxSplitSize), 0});
        place != free.end()) {
        return blocks_[free.at(place).block].address;
    }
    if (free.empty() || free.at(free.before(free.end())).key.size < config_.maxSplitSize) {
        return std::nullopt;
    }
    return blocks_[free.at(free.before(free.end())).block].address;
}

/// The block must be free and cover a whole cudaMalloc segment.
void CachingAllocator::releaseSegment(BlockIndex index) {
    const Block block = blocks_[index];
    assert(block.state == BlockState::Free && !block.partOfSegment() && !config_.expandableSegments);
    report(DeviceEvent::Kind::SegmentFree, block.address, block.size, block.stream);
    fromCache(index);
    blocks_.remove(index);
    countReserved(block.small, -block.size);
    for (PoolStats* stats : {&stats_.all, &statsOf(block.small)}) {
        stats->segments.add(-1);
    }
    if (block.size >= config_.maxSplitSize) {
        stats_.oversizeSegments.add(-1);
    }
}

void CachingAllocator::releaseCached() {
    waitForStreams();
    for (const std::size_t first : {1U, 0U}) {
        for (std::size_t i = first; i < pools_.size(); i += 2) {
            releasePool(pools_[i]);
        }
    }
}

void CachingAllocator::releasePool(Pool& from) {
    std::vector<BlockIndex> blocks;
    from.free.forEach([&](const SortedBlocks::Entry& entry) {
        if (config_.expandableSegments || !blocks_[entry.block].partOfSegment()) {
            blocks.push_back(entry.block);
        }
    });
    for (const BlockIndex block : blocks) {
        config_.expandableSegments ? unmap(block) : releaseSegment(block);
    }
}

void CachingAllocator::emptyCache() {
    releaseCached();
}

/// Releases whole free segments of the large pools, first those of at least the mean age, until reserved
/// memory is down to the threshold.
void CachingAllocator::collectGarbage() {
    const auto threshold =
        static_cast<Bytes>(config_.garbageCollectionThreshold * static_cast<double>(*device_.allowed));
    Bytes excess = reserved() - threshold;
    if (excess <= 0 || config_.expandableSegments) {
        return;
    }
    std::vector<BlockIndex> candidates;
    for (std::size_t i = 1; i < pools_.size(); i += 2) {
        pools_[i].free.forEach([&](const SortedBlocks::Entry& entry) {
            if (!blocks_[entry.block].partOfSegment()) {
                candidates.push_back(entry.block);
            }
        });
    }
    const auto age = [&](BlockIndex i) { return searches_[0] - blocks_[i].freedAt; };
    while (excess > 0 && !candidates.empty()) {
        double total = 0;
        for (const BlockIndex i : candidates) {
            total += static_cast<double>(age(i));
        }
        const double mean = total / static_cast<double>(candidates.size());
        std::erase_if(candidates, [&](BlockIndex i) {
            if (static_cast<double>(age(i)) < mean) {
                return false;
            }
            excess -= blocks_[i].size;
            releaseSegment(i);
            return true;
        });
    }
}

void CachingAllocator::fail(const Request& request) {
    ++stats_.outOfMemories;
    report(DeviceEvent::Kind::OutOfMemory, device_.capacity - reserved(), request.rounded, request.stream);
    refuse(request);
    outOfMemory_->segment = segmentSize(request.rounded, config_.largeSegmentSize);
}

/// As in PyTorch, such a request is not counted in the statistics.
void CachingAllocator::refuse(const Request& request) {
    OutOfMemory why;
    why.asked = request.asked;
    why.rounded = why.segment = request.rounded;
    why.stream = request.stream;
    why.limit = limit();
    why.reserved = reserved();
    why.allocated = stats_.all.allocatedBytes.current;
    for (const Pool& each : pools_) {
        if (!each.free.empty()) {
            why.largestFree =
                std::max(why.largestFree, each.free.at(each.free.before(each.free.end())).key.size);
        }
    }
    outOfMemory_ = why;
}

}  // namespace highwater::memory
