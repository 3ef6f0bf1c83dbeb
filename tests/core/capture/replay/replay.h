#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory/allocator_config.h"
#include "tests/core/capture/history_read.h"

/// Replays a recorded history through the simulation of PyTorch's caching allocator (core/memory). The
/// simulation is given the decisions of the program and the driver, and must make the remaining ones as
/// recorded.
///
/// Given are: the requests (size and stream) and the frees; that the program emptied the cache, where memory
/// was returned to the device without need; when a block that other streams used came back; where the driver
/// placed a new segment; that the driver refused memory, where the recording shows memory being returned or
/// an out of memory. Compared are: every block's address, whether a request takes new memory from the device
/// and how much, what is returned to the device and in which order, whether a request runs out of memory, the
/// reserved memory after each event, and at the end every segment and block.
///
/// Some recordings allow several readings: whether a block that other streams used came back before a
/// request, or only when the allocator synchronized all streams, too late to serve it; whether memory was
/// returned to serve a request or because the program emptied the cache just before it; the size of a block
/// for which only the free was recorded; whether the first event is in the middle of a request. A few dozen
/// readings are tried; a device is equal if one of them is, and the given decisions are those of that
/// reading.
namespace highwater::capture {

struct ReplayOptions {
    std::optional<memory::TorchVersion> libtorch;  ///< none: derived from the file's fields
};

/// The state before the first event. It is not in the file; it is rebuilt by undoing every event, from the
/// last to the first, starting with the blocks at the end.
struct ReplayStart {
    std::int64_t segments = 0, blocks = 0;
    base::Bytes reserved = 0;
    base::Bytes requested = 0;  ///< the requested bytes of these blocks
    bool empty() const { return segments == 0; }
};

/// Where the recording and the simulation diverge.
struct ReplayDifference {
    std::int64_t event = 0;  ///< the index in the device's list, from 0; the number of events means the state
                             ///< at the end
    std::string recorded, predicted;
};

struct DeviceReplay {
    std::int64_t device = 0;
    std::int64_t events = 0;  ///< number of events in the recording
    std::string notReplayed;  ///< one line that says why; empty if it was replayed
    bool expandable = false;  ///< the segments are expandable
    ReplayStart start;
    std::optional<ReplayDifference> difference;  ///< the first difference, in the reading that gets farthest;
                                                 ///< none: equal
    std::int64_t readings = 1;                   ///< number of readings tried; 1: the first is equal

    // What was compared, up to the first difference.
    std::int64_t allocations = 0;
    std::int64_t segmentsTaken = 0;     ///< segments, or mappings, taken from the device
    std::int64_t segmentsReturned = 0;  ///< segments, or mappings, returned to the device
    std::int64_t outOfMemories = 0;
    base::Bytes highestReserved = 0;
    /// At an out of memory: the reserved memory plus the device's free memory. The reserved memory never
    /// exceeds this, otherwise the device would not be replayed.
    std::optional<base::Bytes> capacity;

    // Decisions taken from the recording without comparison.
    std::int64_t emptied = 0;  ///< how often the program emptied the cache although the next request, if any,
                               ///< could have been served from it
    std::int64_t refused = 0;  ///< requests for which the driver refused memory at first, because memory was
                               ///< returned before it was given; a needed empty_cache() looks the same
    std::int64_t waited = 0;   ///< blocks that came back only after other streams had finished
    bool equal() const { return notReplayed.empty() && !difference; }
};

struct Replay {
    TorchSpan torch;
    std::vector<DeviceReplay> devices;  ///< devices with events or segments
};

/// Replays every device. If a device cannot be replayed, its DeviceReplay says why.
Replay replay(const History& history, const ReplayOptions& options = {});

}  // namespace highwater::capture
