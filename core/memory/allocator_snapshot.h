#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/memory/allocator_blocks.h"

namespace highwater::memory {

struct BlockInfo {
    std::int64_t address = 0;
    base::Bytes size = 0;
    base::Bytes requested = 0;            ///< 0 if free
    BlockState state = BlockState::Free;  ///< Allocated, Waiting or Free
    bool operator==(const BlockInfo&) const = default;
};

/// A cudaMalloc segment, or a contiguous range of mapped memory in an expandable segment. Its blocks cover it
/// in address order, without gaps.
struct SegmentInfo {
    std::int64_t address = 0;
    base::Bytes size = 0;
    Stream stream = 0;
    bool small = false;
    bool expandable = false;
    std::vector<BlockInfo> blocks;
    bool operator==(const SegmentInfo&) const = default;
};

/// All segments in address order, as torch.cuda.memory_snapshot() lists them. The sum of their sizes is the
/// reserved memory.
using AllocatorSnapshot = std::vector<SegmentInfo>;

}  // namespace highwater::memory
