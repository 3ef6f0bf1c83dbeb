#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/capture/history.h"
#include "core/memory/allocator_config.h"

/// A recorded history played again through the simulation of PyTorch's caching allocator (core/memory), which
/// is told what the program and the driver decide and must decide the rest as the recording has it.
///
/// Told are: the requests (size and stream) and the frees; that the program emptied the cache, where memory
/// went back to the device without need; when a block that other streams used came back; where the driver
/// placed a new segment; that the driver refused memory, where the recording shows memory going back or an
/// out of memory. Compared are: every block's address, whether a request takes new memory from the device and
/// how much, what goes back to the device and in which order, whether a request runs out of memory, the
/// reserved memory after each event, and at the end every segment and block.
///
/// Some recordings allow several readings: whether a block that other streams used came back before a request
/// or only when the allocator waited for all streams, too late to serve it; whether memory went back for a
/// request or because the program emptied the cache just before it; how large a block was of which only the
/// free is known; whether the first event is in the midst of a request. A few dozen readings are tried; a
/// device is equal if one of them is, and what it was told is of that one.
namespace highwater::capture {

struct ReplayOptions {
    std::optional<memory::TorchVersion> libtorch;  ///< none: as the file's fields tell
};

/// The state before the first event. It is not in the file: it is what remains of the blocks at the end when
/// every event is undone, from the last to the first.
struct ReplayStart {
    std::int64_t segments = 0, blocks = 0;
    base::Bytes reserved = 0;
    base::Bytes requested = 0;  ///< what the program had requested in these blocks
    bool empty() const { return segments == 0; }
};

/// Where recording and simulation part.
struct ReplayDifference {
    std::int64_t event = 0;  ///< the number in the device's list, from 0; the number of events: the state at
                             ///< the end
    std::string recorded, predicted;
};

struct DeviceReplay {
    std::int64_t device = 0;
    std::int64_t events = 0;  ///< in the recording
    std::string notReplayed;  ///< one line that says why; empty: it was replayed
    bool expandable = false;  ///< the segments are expandable ones
    ReplayStart start;
    std::optional<ReplayDifference> difference;  ///< the first, in the reading without one for longest;
                                                 ///< none: equal
    std::int64_t readings = 1;                   ///< that were tried; 1: the first is equal

    // What was compared, up to the first difference.
    std::int64_t allocations = 0;
    std::int64_t segmentsTaken = 0;     ///< segments, or mappings, taken from the device
    std::int64_t segmentsReturned = 0;  ///< and given back
    std::int64_t outOfMemories = 0;
    base::Bytes highestReserved = 0;
    /// Where it ran out of memory: what was reserved then, and what the device still had. At no other time
    /// was more reserved, or the device would not be played.
    std::optional<base::Bytes> capacity;

    // What was taken from the recording as it stood.
    std::int64_t emptied = 0;  ///< how often the program emptied the cache where the request after it, if
                               ///< any, could have been served from it
    std::int64_t refused = 0;  ///< requests for which the driver refused memory at first, as memory went back
                               ///< before it was given; empty_cache() looks the same where it was needed
    std::int64_t waited = 0;   ///< blocks that came back only after other streams had finished
    bool equal() const { return notReplayed.empty() && !difference; }
};

struct Replay {
    TorchSpan torch;
    std::vector<DeviceReplay> devices;  ///< those with events or segments
};

/// Plays every device. What cannot be played says so in its DeviceReplay.
Replay replay(const History& history, const ReplayOptions& options = {});

}  // namespace highwater::capture
