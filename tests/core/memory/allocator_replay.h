#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/memory/caching_allocator.h"

namespace highwater::memory {

/// One thing a program does to the allocator.
struct AllocatorEvent {
    enum class Kind : std::uint8_t {
        Allocate,      ///< `id` becomes `bytes` (0 or more) on `stream`
        Free,          ///< `id` ends
        RecordStream,  ///< `stream` uses `id` too
        StreamDone,    ///< `stream` has done what was submitted to it
        EmptyCache
    };
    Kind kind = Kind::Allocate;
    Stream stream = 0;     ///< below kMostStreams
    std::uint32_t id = 0;  ///< names a tensor while it lives; below the number of events; may be used again
    base::Bytes bytes = 0;
};

/// What a replay came to.
struct AllocatorReplay {
    std::size_t events = 0;  ///< done; where a run goes out of memory, the index of the request that failed
    std::optional<OutOfMemory> outOfMemory;
    AllocatorStats stats;
    AllocatorSnapshot snapshot;  ///< at the end, or at the failed request
};

/// Replays events from an empty allocator to the end, or to the first request that goes out of memory. An
/// error names the event that makes no sense: a tensor that is not alive or already is, a negative size, an
/// id or a stream out of range.
base::Result<AllocatorReplay> replayAllocator(const AllocatorConfig& config, const DeviceMemory& device,
                                              std::span<const AllocatorEvent> events);

}  // namespace highwater::memory
