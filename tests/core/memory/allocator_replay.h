#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/memory/caching_allocator.h"

namespace highwater::memory {

/// One call that a program makes to the allocator, or one completion of a stream.
struct AllocatorEvent {
    enum class Kind : std::uint8_t {
        Allocate,      ///< tensor `id` is allocated: `bytes` (0 or more) on `stream`
        Free,          ///< tensor `id` is freed
        RecordStream,  ///< `stream` uses tensor `id` too
        StreamDone,    ///< `stream` has finished all work submitted to it
        EmptyCache
    };
    Kind kind = Kind::Allocate;
    Stream stream = 0;     ///< below kMostStreams
    std::uint32_t id = 0;  ///< identifies a live tensor; must be below the number of events; may be used
                           ///< again after Free
    base::Bytes bytes = 0;
};

/// The result of a replay.
struct AllocatorReplay {
    std::size_t events = 0;  ///< events done; if the replay ran out of memory, the index of the request that
                             ///< failed
    std::optional<OutOfMemory> outOfMemory;
    AllocatorStats stats;
    AllocatorSnapshot snapshot;  ///< at the end, or at the failed request
};

/// Replays events from an empty allocator to the end, or to the first request that runs out of memory. Error,
/// naming the event, if an event uses a tensor that is not alive, allocates one that is, has a negative size,
/// or has an id or a stream out of range.
base::Result<AllocatorReplay> replayAllocator(const AllocatorConfig& config, const DeviceMemory& device,
                                              std::span<const AllocatorEvent> events);

}  // namespace highwater::memory
