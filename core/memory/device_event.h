#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace highwater::memory {

/// One event that PyTorch's CUDA caching allocator reports about itself while it holds its lock (LibTorch 2.1
/// and later: CUDACachingAllocator::attachAllocatorTraceTracker). TraceEntry::SNAPSHOT and ANNOTATE change
/// nothing and have no kind here.
struct DeviceEvent {
    enum class Kind : std::uint8_t {
        Allocate,       ///< ALLOC: a block was allocated; `bytes` is the requested size, not the block's size
        FreeRequested,  ///< FREE_REQUESTED: the program has freed the block
        FreeCompleted,  ///< FREE_COMPLETED: no other stream uses it any more; it is about to be merged with
                        ///< free neighbors
        SegmentAllocate,  ///< SEGMENT_ALLOC: cudaMalloc succeeded; the Allocate that needed it follows
        SegmentFree,      ///< SEGMENT_FREE: cudaFree is about to be called
        SegmentMap,       ///< SEGMENT_MAP: memory was mapped into an expandable segment
        SegmentUnmap,     ///< SEGMENT_UNMAP: memory of an expandable segment was unmapped
        OutOfMemory  ///< OOM: `address` is the device's free memory in bytes, `bytes` the block size that was
                     ///< needed
    };
    Kind kind = Kind::Allocate;
    std::int64_t address = 0;
    base::Bytes bytes = 0;
    std::uint64_t stream = 0;  ///< the cudaStream_t; 0 is the default stream

    bool operator==(const DeviceEvent&) const = default;
};

}  // namespace highwater::memory
