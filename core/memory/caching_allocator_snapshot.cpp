#include <algorithm>

#include "core/memory/caching_allocator.h"

namespace highwater::memory {

AllocatorSnapshot CachingAllocator::snapshot() const {
    const auto present = [&](BlockIndex i) {
        return i != kNoBlock && blocks_[i].state != BlockState::Unmapped &&
               blocks_[i].state != BlockState::Unused;
    };
    AllocatorSnapshot segments;
    for (BlockIndex head = 0; head < blocks_.size(); ++head) {
        if (!present(head) || present(blocks_[head].previous)) {
            continue;
        }
        const Block& first = blocks_[head];
        SegmentInfo segment{first.address, 0, first.stream, first.small, config_.expandableSegments, {}};
        for (BlockIndex i = head; present(i); i = blocks_[i].next) {
            const Block& block = blocks_[i];
            segment.size += block.size;
            segment.blocks.push_back({block.address, block.size, block.requested, block.state});
        }
        segments.push_back(std::move(segment));
    }
    std::ranges::sort(segments, {}, &SegmentInfo::address);
    return segments;
}

}  // namespace highwater::memory
