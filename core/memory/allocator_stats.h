#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace highwater::memory {

/// A current value, with the highest value since the start or the last reset.
struct Gauge {
    std::int64_t current = 0;
    std::int64_t peak = 0;

    void add(std::int64_t amount) {
        current += amount;
        peak = current > peak ? current : peak;
    }
    bool operator==(const Gauge&) const = default;
};

/// torch.cuda.memory_stats() of one pool or of both. Blocks and segments are counts, the others bytes.
struct PoolStats {
    Gauge allocations;     ///< blocks in use by the program
    Gauge segments;        ///< segments from cudaMalloc; as in PyTorch, expandable ones are not counted
    Gauge active;          ///< allocations, plus freed blocks that another stream still uses
    Gauge inactiveSplit;   ///< free blocks that are only a part of their segment; not those of expandable
                           ///< segments
    Gauge allocatedBytes;  ///< block sizes of the allocations, including rounding and remainders that were
                           ///< not split off
    Gauge activeBytes;     ///< sizes of active blocks
    Gauge requestedBytes;  ///< requested sizes of the active blocks (PyTorch reports it from 2.1 on)
    Gauge reservedBytes;   ///< segments and mapped memory
    Gauge inactiveSplitBytes;  ///< sizes of the inactiveSplit blocks

    bool operator==(const PoolStats&) const = default;
};

struct AllocatorStats {
    PoolStats all, small, large;
    Gauge oversizeAllocations;           ///< allocations of max_split_size or more
    Gauge oversizeSegments;              ///< cudaMalloc segments of max_split_size or more
    std::int64_t allocationRetries = 0;  ///< how often the whole cache was released to serve a request
    /// Requests that failed even after that; those of 1 EiB or more are not counted.
    std::int64_t outOfMemories = 0;
    std::int64_t deviceAllocations = 0;  ///< successful cudaMalloc or mappings
    std::int64_t deviceFrees = 0;        ///< cudaFree or unmappings

    bool operator==(const AllocatorStats&) const = default;
};

/// Sets every peak to the current value, as torch.cuda.reset_peak_memory_stats() does.
void resetPeaks(AllocatorStats& stats);

}  // namespace highwater::memory
