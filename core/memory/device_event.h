#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace highwater::memory {

/// One thing that PyTorch's CUDA caching allocator reports of itself, with its lock held (LibTorch 2.1 and
/// later: CUDACachingAllocator::attachAllocatorTraceTracker). TraceEntry::SNAPSHOT and ANNOTATE change
/// nothing and have no kind here.
struct DeviceEvent {
    enum class Kind : std::uint8_t {
        Allocate,       ///< ALLOC: a block was handed out; `bytes` is what was asked, not the block's size
        FreeRequested,  ///< FREE_REQUESTED: the program is done with the block
        FreeCompleted,  ///< FREE_COMPLETED: no stream uses it either; it is about to join its free neighbours
        SegmentAllocate,  ///< SEGMENT_ALLOC: cudaMalloc succeeded; the Allocate that wanted it follows
        SegmentFree,      ///< SEGMENT_FREE: cudaFree is about to be called
        SegmentMap,       ///< SEGMENT_MAP: memory was put behind addresses of an expandable segment
        SegmentUnmap,     ///< SEGMENT_UNMAP: ... and was taken away
        OutOfMemory  ///< OOM: `address` is what the device has free; `bytes` is the block that was wanted
    };
    Kind kind = Kind::Allocate;
    std::int64_t address = 0;
    base::Bytes bytes = 0;
    std::uint64_t stream = 0;  ///< the cudaStream_t; 0 is the default stream

    bool operator==(const DeviceEvent&) const = default;
};

}  // namespace highwater::memory
