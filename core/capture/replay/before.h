#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/capture/replay/reading.h"
#include "core/capture/replay/replay.h"
#include "core/memory/allocator_snapshot.h"

namespace highwater::capture {

/// The numbers that the simulation knows a device's streams by, in the order of their handles: PyTorch sorts
/// blocks so.
using StreamNumbers = std::unordered_map<std::uint64_t, memory::Stream>;

/// A rebuilt block of which only the free is known, before a free block: no more is known of its end.
struct Guess {
    std::int64_t address = 0;
    std::int64_t end = 0;       ///< as it was rebuilt
    base::Bytes remainder = 0;  ///< what it was taken to be larger by than it had to be
    base::Bytes most = 0;       ///< what it may be larger by
    std::size_t freedAt = 0;    ///< the event after which it is free
};

struct StateBefore {
    memory::AllocatorSnapshot segments;
    std::vector<Guess> guesses;
};

/// Rebuilds the state before the reading's first event: every event undone, from the last to that one,
/// beginning with the blocks at the end. The history has no obstacle() and its streams have numbers.
///
/// A free tells only the size that was requested. What the block was larger by is known where the block is
/// there at the end too. Otherwise it is rounding, and a remainder that was too small to be split off: up to
/// 1 MiB, which is nobody else's as no free block of the large pool is that small. If a larger gap follows,
/// it begins with a remainder as far as the first block that is later placed in it, before the free, tells;
/// if none does, with one as the reading has it.
///
/// Error (one line) if the events contradict each other or the blocks; or if expandable segments were there,
/// which are not rebuilt.
base::Result<StateBefore> stateBefore(const DeviceHistory& device, const memory::AllocatorConfig& config,
                                      const StreamNumbers& streams, const Reading& reading);

}  // namespace highwater::capture
