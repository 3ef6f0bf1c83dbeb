#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace highwater::memory {

/// A quantity that rises and falls, with the highest value since the start or the last reset.
struct Gauge {
    std::int64_t current = 0;
    std::int64_t peak = 0;

    void add(std::int64_t amount) {
        current += amount;
        peak = current > peak ? current : peak;
    }
    bool operator==(const Gauge&) const = default;
};

/// torch.cuda.memory_stats() of one pool or of both: blocks or segments as counts, the others in bytes.
struct PoolStats {
    Gauge allocations;         ///< blocks in the program's hands
    Gauge segments;            ///< segments from cudaMalloc; expandable ones are not counted, as in PyTorch
    Gauge active;              ///< allocations, and freed blocks that wait for a stream
    Gauge inactiveSplit;       ///< free blocks that are part of a segment, expandable ones left out
    Gauge allocatedBytes;      ///< sizes of allocations, rounding and unsplit slack included
    Gauge activeBytes;         ///< sizes of active blocks
    Gauge requestedBytes;      ///< what was asked for the active blocks (PyTorch reports it from 2.1 on)
    Gauge reservedBytes;       ///< segments and mapped memory
    Gauge inactiveSplitBytes;  ///< sizes of inactiveSplit

    bool operator==(const PoolStats&) const = default;
};

struct AllocatorStats {
    PoolStats all, small, large;
    Gauge oversizeAllocations;           ///< allocations of max_split_size and more
    Gauge oversizeSegments;              ///< cudaMalloc segments of max_split_size and more
    std::int64_t allocationRetries = 0;  ///< times the whole cache was given back to serve a request
    std::int64_t outOfMemories =
        0;  ///< requests that failed all the same; those of 1 EiB or more are not counted
    std::int64_t deviceAllocations = 0;  ///< successful cudaMalloc or mappings
    std::int64_t deviceFrees = 0;        ///< cudaFree or unmappings

    bool operator==(const AllocatorStats&) const = default;
};

/// Sets every peak to the current value, as torch.cuda.reset_peak_memory_stats().
void resetPeaks(AllocatorStats& stats);

}  // namespace highwater::memory
