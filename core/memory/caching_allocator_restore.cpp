#include <fmt/format.h>

#include <algorithm>

#include "core/memory/allocator_rules.h"
#include "core/memory/caching_allocator.h"

namespace highwater::memory {

using base::Bytes;

namespace {

/// Limit on the addresses, and on the total size, of a restored state.
constexpr std::int64_t kLastRestored = std::int64_t{1} << 61;
constexpr Bytes kMostRestored = Bytes{1} << 55;

base::Status checkBlocks(const SegmentInfo& segment) {
    std::int64_t at = segment.address;
    bool free = false;
    for (const BlockInfo& block : segment.blocks) {
        const bool isFree = block.state == BlockState::Free;
        if (block.address != at || block.size <= 0 || block.size > segment.address + segment.size - at) {
            return base::Error{
                fmt::format("the blocks of the segment at {:#x} do not cover it", segment.address)};
        }
        if (!isFree &&
            (block.state != BlockState::Allocated || block.requested <= 0 || block.requested > block.size)) {
            return base::Error{fmt::format("the block at {:#x} is neither allocated nor free", at)};
        }
        if (free && isFree) {
            return base::Error{fmt::format("the free block at {:#x} follows another", at)};
        }
        free = isFree;
        at += block.size;
    }
    return at == segment.address + segment.size
               ? base::Status()
               : base::Error{
                     fmt::format("the blocks of the segment at {:#x} do not cover it", segment.address)};
}

base::Status checkState(const AllocatorSnapshot& segments) {
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    Bytes total = 0;
    for (const SegmentInfo& segment : segments) {
        if (segment.expandable || segment.stream >= kMostStreams || segment.address < 0 ||
            segment.address > kLastRestored || segment.size <= 0 || segment.size > kMostRestored - total) {
            return base::Error{fmt::format("the segment at {:#x} cannot be taken over", segment.address)};
        }
        total += segment.size;
        ranges.emplace_back(segment.address, segment.address + segment.size);
        HIGHWATER_TRY(checkBlocks(segment));
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].first < ranges[i - 1].second) {
            return base::Error{fmt::format("the segment at {:#x} overlaps another", ranges[i].first)};
        }
    }
    return {};
}

}  // namespace

base::Result<std::vector<BlockIndex>> CachingAllocator::restore(const AllocatorSnapshot& segments) {
    if (blocks_.size() > 0) {
        return base::Error{"a state is taken over before the first request"};
    }
    if (config_.expandableSegments && !segments.empty()) {
        return base::Error{"a state with expandable segments is not taken over"};
    }
    HIGHWATER_TRY(checkState(segments));
    std::vector<BlockIndex> allocated;
    for (const SegmentInfo& segment : segments) {
        restoreSegment(segment, allocated);
    }
    return allocated;
}

void CachingAllocator::restoreSegment(const SegmentInfo& segment, std::vector<BlockIndex>& allocated) {
    reach(segment.stream);
    nextAddress_ = std::max(nextAddress_, roundUp(segment.address + segment.size, kSegmentStep));
    countReserved(segment.small, segment.size);
    for (PoolStats* stats : {&stats_.all, &statsOf(segment.small)}) {
        stats->segments.add(1);
    }
    if (segment.size >= config_.maxSplitSize) {
        stats_.oversizeSegments.add(1);
    }
    BlockIndex before = kNoBlock;
    for (const BlockInfo& info : segment.blocks) {
        Block block;
        block.address = info.address;
        block.size = info.size;
        block.stream = segment.stream;
        block.small = segment.small;
        const BlockIndex index = blocks_.add(block);
        chain(before, index, kNoBlock);
        before = index;
        restoreBlock(info, index, segment.blocks.size() > 1);
        if (info.state == BlockState::Allocated) {
            allocated.push_back(index);
        }
    }
}

void CachingAllocator::restoreBlock(const BlockInfo& info, BlockIndex index, bool part) {
    const bool small = blocks_[index].small;
    if (info.state == BlockState::Free) {
        toCache(index);
        for (PoolStats* stats : {&stats_.all, &statsOf(small)}) {
            stats->inactiveSplit.add(part);
            stats->inactiveSplitBytes.add(part ? info.size : 0);
        }
        return;
    }
    Block& block = blocks_[index];
    block.state = BlockState::Allocated;
    block.requested = info.requested;
    for (PoolStats* stats : {&stats_.all, &statsOf(small)}) {
        stats->allocations.add(1);
        stats->allocatedBytes.add(block.size);
        stats->active.add(1);
        stats->activeBytes.add(block.size);
        stats->requestedBytes.add(info.requested);
    }
    if (block.size >= config_.maxSplitSize) {
        stats_.oversizeAllocations.add(1);
    }
}

}  // namespace highwater::memory
