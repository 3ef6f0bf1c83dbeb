#include "core/predict/whole_blocks.h"

#include <algorithm>

#include "core/memory/caching_allocator.h"
#include "core/predict/fit/walk_replay.h"

namespace highwater::predict {

namespace {

using base::Bytes;

Bytes wholeBlocks(const Walk& walk, Bytes Estimate::* size, const memory::AllocatorConfig& config) {
    auto allocator = memory::CachingAllocator::create(config, {kMostMemory, kMostMemory, {}});
    if (!allocator) {
        return 0;
    }
    std::vector<memory::BlockIndex> blocks(walk.blocks.size(), memory::kNoBlock);
    for (const WalkEvent& event : walk.events) {
        const WalkBlock& wanted = walk.blocks[event.block];
        memory::BlockIndex& block = blocks[event.block];
        if (event.kind == WalkEvent::Kind::Allocate && wanted.bytes.*size > 0) {
            const auto made = allocator->allocate(wanted.bytes.*size);
            if (!made) {
                break;
            }
            block = *made;
        } else if (event.kind == WalkEvent::Kind::Free) {
            if (block != memory::kNoBlock) {
                allocator->free(block);
                block = memory::kNoBlock;
            }
            if (wanted.emptiesCache) {
                allocator->emptyCache();
            }
        }
    }
    return allocator->stats().all.allocatedBytes.peak;
}

}  // namespace

Estimate wholeBlocks(const Walk& walk, const memory::AllocatorConfig& config) {
    const Bytes expected = wholeBlocks(walk, &Estimate::expected, config);
    const bool exact = std::all_of(walk.blocks.begin(), walk.blocks.end(),
                                   [](const WalkBlock& b) { return b.bytes.exact(); });
    if (exact) {
        return Estimate::of(expected);
    }
    return {std::min(wholeBlocks(walk, &Estimate::low, config), expected), expected,
            std::max(wholeBlocks(walk, &Estimate::high, config), expected)};
}

}  // namespace highwater::predict
