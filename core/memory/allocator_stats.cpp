#include "core/memory/allocator_stats.h"

namespace highwater::memory {

void resetPeaks(AllocatorStats& stats) {
    for (PoolStats* pool : {&stats.all, &stats.small, &stats.large}) {
        for (Gauge* gauge :
             {&pool->allocations, &pool->segments, &pool->active, &pool->inactiveSplit, &pool->allocatedBytes,
              &pool->activeBytes, &pool->requestedBytes, &pool->reservedBytes, &pool->inactiveSplitBytes}) {
            gauge->peak = gauge->current;
        }
    }
    stats.oversizeAllocations.peak = stats.oversizeAllocations.current;
    stats.oversizeSegments.peak = stats.oversizeSegments.current;
}

}  // namespace highwater::memory
