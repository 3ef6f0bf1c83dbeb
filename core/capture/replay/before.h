#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/base/result.h"
#include "core/capture/replay/replay.h"
#include "core/memory/allocator_snapshot.h"

namespace highwater::capture {

/// The numbers that the simulation knows a device's streams by, in the order of their handles: PyTorch sorts
/// blocks so.
using StreamNumbers = std::unordered_map<std::uint64_t, memory::Stream>;

/// Rebuilds the state before the first event: every event undone, from the last to the first, beginning with
/// the blocks at the end. The history has no obstacle() and its streams have numbers.
///
/// A free tells only the size that was requested. What the block was larger by is known where the block is
/// there at the end too. Otherwise it is rounding, and a remainder that was too small to be split off: up to
/// 1 MiB, which is nobody else's as no free block of the large pool is that small. If a larger gap follows,
/// it begins with a remainder as far as the first block that is later placed in it, before the free, tells.
///
/// Error (one line) if the events contradict each other or the blocks; or if expandable segments were there,
/// which are not rebuilt.
base::Result<memory::AllocatorSnapshot> stateBefore(const DeviceHistory& device,
                                                    const memory::AllocatorConfig& config,
                                                    const StreamNumbers& streams);

}  // namespace highwater::capture
