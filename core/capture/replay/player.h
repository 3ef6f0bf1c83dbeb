#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/capture/replay/before.h"
#include "core/memory/caching_allocator.h"

namespace highwater::capture {

/// Plays one device's events to a simulated allocator and compares what it does, one request at a time: what
/// the recording shows of a request are the events up to its "alloc" or "oom". Ends at the first difference.
/// The allocator must outlive the player, whose functions it calls from then on.
class Player {
public:
    Player(memory::CachingAllocator& allocator, const DeviceHistory& device, const StreamNumbers& streams,
           DeviceReplay& result);
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Gives the allocator the state before the first event. Error if it is none.
    base::Status begin(memory::AllocatorSnapshot before);
    /// Plays all events; the result says what became of it.
    void play();

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
    bool waitsForDevice(std::size_t from) const;
    std::size_t endOfRequest() const;
    void add(std::size_t number);
    bool emptiedBefore(const memory::DeviceEvent& request, const memory::DeviceEvent& release) const;
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
    DeviceReplay& result_;
    std::size_t next_ = 0;
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
