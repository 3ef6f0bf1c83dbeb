#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/capture/replay/before.h"
#include "core/capture/replay/reading.h"
#include "core/memory/caching_allocator.h"

namespace highwater::capture {

inline bool takesMemory(const memory::DeviceEvent& event) {
    return event.kind == memory::DeviceEvent::Kind::SegmentAllocate ||
           event.kind == memory::DeviceEvent::Kind::SegmentMap;
}

inline bool returnsMemory(const memory::DeviceEvent& event) {
    return event.kind == memory::DeviceEvent::Kind::SegmentFree ||
           event.kind == memory::DeviceEvent::Kind::SegmentUnmap;
}

/// A block that the simulation gave and the recording does not have there: `room` bytes were free from its
/// address on, `needed` would have been enough.
struct Misplaced {
    std::int64_t address = 0;
    base::Bytes room = 0, needed = 0;
};

/// Plays one device's events to a simulated allocator and compares what it does, one request at a time: what
/// the recording shows of a request are the events up to its "alloc" or "oom". Ends at the first difference.
/// Where the recording allows several readings, the player asks the reading. The allocator must outlive the
/// player, whose functions it calls from then on.
class Player {
public:
    Player(memory::CachingAllocator& allocator, const DeviceHistory& device, const StreamNumbers& streams,
           const Reading& reading, DeviceReplay& result);
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Gives the allocator the state before the first event. Error if it is none.
    base::Status begin(memory::AllocatorSnapshot before);
    /// Plays all events; the result says what became of it.
    void play();

    /// Of each question so far, in the order of the events, how many answers there were: 2 or more, 0 and up.
    const std::vector<std::size_t>& choices() const { return choices_; }
    /// The block at the first difference, if that is one.
    std::optional<Misplaced> misplaced() const;

private:
    struct Recorded {
        std::size_t number = 0;
        memory::DeviceEvent event;
    };
    /// What the recording shows of one request or free, in the simulation's streams.
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
    std::vector<memory::DeviceEvent> said_;              // by the simulation, of the group
    std::map<std::int64_t, memory::BlockIndex> blocks_;  // in use, by address
    std::map<std::int64_t, base::Bytes> segments_;       // from cudaMalloc, by address
    std::map<std::int64_t, memory::Stream> waiting_;     // blocks, and the stream that each waits for
    std::vector<memory::Stream> idle_;                   // streams that no block waits for
    base::Bytes reserved_ = 0;                           // as recorded
    base::Bytes refused_ = 0;                            // what the driver refused last
    std::int64_t nowhere_ = std::int64_t{1} << 61;       // addresses of what the recording does not have
};

}  // namespace highwater::capture
