#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/caching_allocator.h"
#include "tests/core/capture/replay/before.h"
#include "tests/core/capture/replay/reading.h"

namespace highwater::capture {

inline bool takesMemory(const memory::DeviceEvent& event) {
    return event.kind == memory::DeviceEvent::Kind::SegmentAllocate ||
           event.kind == memory::DeviceEvent::Kind::SegmentMap;
}

inline bool returnsMemory(const memory::DeviceEvent& event) {
    return event.kind == memory::DeviceEvent::Kind::SegmentFree ||
           event.kind == memory::DeviceEvent::Kind::SegmentUnmap;
}

/// A block that the simulation placed where the recording does not: `room` bytes were free from its address
/// on, `needed` would have been enough.
struct Misplaced {
    std::int64_t address = 0;
    base::Bytes room = 0, needed = 0;
};

/// Replays one device's events on a simulated allocator and compares its decisions, one request at a time:
/// the recorded events of a request are those up to its "alloc" or "oom". Stops at the first difference.
/// Where the recording allows several readings, the given Reading decides. The allocator must outlive the
/// player, whose functions it calls from then on.
class Player {
public:
    Player(memory::CachingAllocator& allocator, const DeviceHistory& device, const StreamNumbers& streams,
           const Reading& reading, DeviceReplay& result);
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Sets the allocator's state before the first event. Error if the state is invalid.
    base::Status begin(memory::AllocatorSnapshot before);
    /// Replays all events; the result is stored in the DeviceReplay.
    void play();

    /// The number of possible answers to each question so far, in the order of the events; at least 2,
    /// numbered from 0.
    const std::vector<std::size_t>& choices() const { return choices_; }
    /// The block at the first difference, if the difference is a misplaced block.
    std::optional<Misplaced> misplaced() const;

private:
    struct Recorded {
        std::size_t number = 0;
        memory::DeviceEvent event;
    };
    /// The recorded events of one request or free, with the simulation's stream numbers.
    using Group = std::vector<Recorded>;

    void playFree();
    void playReturned();
    void playRequest();
    std::size_t decide(std::size_t choices);
    std::size_t endOfReturned(std::size_t from) const;
    bool waitsForDevice(std::size_t from) const;
    std::size_t returnedEarly(std::size_t end, std::size_t count);
    void takeBack(std::size_t count);
    std::size_t endOfRequest(std::size_t from) const;
    void add(std::size_t number);
    bool emptiedBefore(const memory::DeviceEvent& request, const memory::DeviceEvent& release);
    void ask(const memory::DeviceEvent& request);
    void wait(memory::BlockIndex block, std::int64_t address);

    bool giveMemory(base::Bytes bytes);
    std::int64_t placeNext(base::Bytes bytes, memory::Stream stream, bool small);
    std::optional<std::int64_t> recordedPlace(memory::Stream stream, bool small) const;
    bool isTaken(std::int64_t address, base::Bytes bytes, memory::Stream stream, bool small) const;
    void hear(const memory::DeviceEvent& event);

    void compare();
    void count(const memory::DeviceEvent& event);
    void countOutOfMemory(const memory::DeviceEvent& event);
    void compareEnd();
    void differ(std::size_t event, std::string recorded, std::string predicted);
    void giveUp(std::string why) { result_.notReplayed = std::move(why); }
    bool ended() const { return result_.difference || !result_.notReplayed.empty(); }

    memory::CachingAllocator& allocator_;
    const DeviceHistory& device_;
    const StreamNumbers& streams_;
    const Reading& reading_;
    DeviceReplay& result_;
    std::size_t next_;
    std::vector<std::size_t> choices_;
    Group group_;
    std::vector<memory::DeviceEvent> said_;              // reported by the simulation for the group
    std::map<std::int64_t, memory::BlockIndex> blocks_;  // in use, by address
    std::map<std::int64_t, base::Bytes> segments_;       // from cudaMalloc, by address
    std::map<std::int64_t, memory::Stream> waiting_;     // waiting blocks, and the stream that each waits for
    std::vector<memory::Stream> idle_;                   // streams that no block waits for
    base::Bytes reserved_ = 0;                           // according to the recording
    base::Bytes refused_ = 0;                            // the request that the driver refused last
    std::int64_t nowhere_ = std::int64_t{1} << 61;       // next address for memory that is not in the
                                                         // recording
};

}  // namespace highwater::capture
