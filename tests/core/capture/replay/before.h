#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/memory/allocator_snapshot.h"
#include "tests/core/capture/replay/reading.h"
#include "tests/core/capture/replay/replay.h"

namespace highwater::capture {

/// The simulation's numbers for a device's streams, in the order of their handles: PyTorch sorts blocks by
/// handle.
using StreamNumbers = std::unordered_map<std::uint64_t, memory::Stream>;

/// A rebuilt block for which only the free was recorded, followed by a free block: its end is not known
/// exactly.
struct Guess {
    std::int64_t address = 0;
    std::int64_t end = 0;       ///< its end as rebuilt
    base::Bytes remainder = 0;  ///< the assumed bytes beyond its rounded request
    base::Bytes most = 0;       ///< the largest possible remainder
    std::size_t freedAt = 0;    ///< the event that frees it
};

struct StateBefore {
    memory::AllocatorSnapshot segments;
    std::vector<Guess> guesses;
};

/// Rebuilds the state before the reading's first event by undoing every event, from the last to that one,
/// starting with the blocks at the end. Requires a history without an obstacle() and streams that have
/// numbers.
///
/// A free records only the requested size. The block's actual size is known if the block also exists at the
/// end. Otherwise it is the rounded request plus a remainder that was too small to be split off: up to 1 MiB,
/// which belongs to no other block, because no free block of the large pool is that small. If a larger gap
/// follows, it begins with a remainder that ends at the first block placed in the gap before the free; if
/// there is none, with the remainder given by the reading.
///
/// Error (one line) if the events contradict each other or the blocks, or if there were expandable segments,
/// which cannot be rebuilt.
base::Result<StateBefore> stateBefore(const DeviceHistory& device, const memory::AllocatorConfig& config,
                                      const StreamNumbers& streams, const Reading& reading);

}  // namespace highwater::capture
