#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/memory/allocator_rules.h"
#include "core/memory/caching_allocator.h"
#include "tests/core/memory/recorded_trace.h"

namespace highwater::memory::testing {

using base::Bytes;

namespace {

RecordedStats statsOf(const AllocatorStats& s, std::int64_t Gauge::* which) {
    const PoolStats& a = s.all;
    return {{a.allocatedBytes.*which, a.activeBytes.*which, a.reservedBytes.*which, a.requestedBytes.*which,
             a.inactiveSplitBytes.*which, a.allocations.*which, a.active.*which, a.segments.*which,
             a.inactiveSplit.*which, s.small.allocatedBytes.*which, s.small.reservedBytes.*which,
             s.oversizeAllocations.*which, s.oversizeSegments.*which, s.allocationRetries, s.outOfMemories,
             s.deviceAllocations, s.deviceFrees}};
}

/// Among free blocks of equal size, 2.11 takes the one with the lowest address, 2.15 that of the oldest
/// segment. It is unknown in which version this changed.
constexpr TorchVersion kByAge{2, 15};

/// The simulated allocator, driven by the requests and frees of a recorded program.
class Replay {
public:
    Replay(CachingAllocator& allocator, const RecordedTrace& trace, bool byAge)
        : allocator_(allocator), trace_(trace), byAge_(byAge) {
        allocator_.observe([this](const DeviceEvent& event) { hear(event); });
        allocator_.place([this](Bytes bytes, Stream stream, bool small) {
            const std::int64_t recorded = nextAddress(bytes, stream, small);
            return byAge_ ? ascending(recorded, bytes) : recorded;
        });
    }

    /// The difference, or an empty string.
    std::string playNext() {
        const RecordedOperation& operation = trace_.operations.at(next_++);
        said_.clear();
        if (operation.name == "empty_cache") {
            allocator_.emptyCache();
        }
        for (std::size_t i = 0; i < operation.events.size(); ++i) {
            if (auto wrong = play(operation.events, i); !wrong.empty()) {
                return wrong;
            }
        }
        return compare(operation.events);
    }

private:
    static constexpr Stream kOther = kMostStreams - 1;
    struct Range {
        Bytes bytes = 0, mapped = 0;
    };
    using Ranges = std::map<std::int64_t, Range>;

    std::string play(const std::vector<DeviceEvent>& events, std::size_t i) {
        const DeviceEvent& e = events[i];
        using enum DeviceEvent::Kind;
        if (e.kind == Allocate || e.kind == OutOfMemory) {
            const auto block = allocator_.allocate(e.bytes, static_cast<Stream>(e.stream));
            if (block.has_value() != (e.kind == Allocate)) {
                return block ? "served what ran out of memory" : "ran out of memory for " + textOf(e);
            }
            if (block) {
                blocks_[recordedAddress(allocator_.block(*block).address)] = *block;
            }
        } else if (e.kind == FreeRequested) {
            const auto known = blocks_.extract(e.address);
            if (known.empty()) {
                return "nothing to free for " + textOf(e);
            }
            const bool waits = i + 1 == events.size() || events[i + 1].kind != FreeCompleted ||
                               events[i + 1].address != e.address;
            if (waits) {
                allocator_.recordStream(known.mapped(), kOther);
            }
            allocator_.free(known.mapped());
            allocator_.streamDone(kOther);
        }
        return "";
    }

    /// Where the recording has the segment that is about to be made, or the first memory of the range, which
    /// may come much later.
    std::int64_t nextAddress(Bytes bytes, Stream stream, bool small) {
        std::size_t said = said_.size();
        for (auto operation = next_ - 1; operation < trace_.operations.size(); ++operation, said = 0) {
            const auto& events = trace_.operations[operation].events;
            for (; said < events.size(); ++said) {
                if (addsMemory(events[said]) && events[said].stream == stream &&
                    (events[said].bytes == kSmallUnit) == small &&
                    rangeOf(events[said].address) == ranges_.end()) {
                    if (events[said].kind == DeviceEvent::Kind::SegmentMap) {
                        ranges_[events[said].address] = {bytes, 0};
                    }
                    return events[said].address;
                }
            }
        }
        return nowhere_ += std::int64_t{1} << 45;
    }

    /// The range that an address lies in, or the end.
    Ranges::iterator rangeOf(std::int64_t address) {
        const auto after = ranges_.upper_bound(address);
        if (after == ranges_.begin() || address >= std::prev(after)->first + std::prev(after)->second.bytes) {
            return ranges_.end();
        }
        return std::prev(after);
    }

    /// An address of the simulator's own for a segment, above all earlier ones.
    std::int64_t ascending(std::int64_t recorded, Bytes bytes) {
        const std::int64_t own = nextOwn_;
        nextOwn_ += bytes;
        moved_[own] = recorded - own;
        return own;
    }

    std::int64_t recordedAddress(std::int64_t address) const {
        const auto after = moved_.upper_bound(address);
        return after == moved_.begin() ? address : address + std::prev(after)->second;
    }

    /// A range is removed once its last memory is released.
    void hear(DeviceEvent event) {
        if (event.kind != DeviceEvent::Kind::OutOfMemory) {
            event.address = recordedAddress(event.address);
        }
        said_.push_back(event);
        const auto range = rangeOf(event.address);
        if (range == ranges_.end()) {
            return;
        }
        if (event.kind == DeviceEvent::Kind::SegmentMap) {
            range->second.mapped += event.bytes;
        }
        if (event.kind == DeviceEvent::Kind::SegmentUnmap && (range->second.mapped -= event.bytes) == 0) {
            ranges_.erase(range);
        }
    }

    /// Waiting blocks are returned by stream, with the streams in the order of a hash table: any order is
    /// accepted.
    static void sortWaited(std::vector<DeviceEvent>& events) {
        const auto waited = [](const DeviceEvent& e) { return e.kind == DeviceEvent::Kind::FreeCompleted; };
        for (auto begin = events.begin(); begin != events.end();) {
            begin = std::find_if(begin, events.end(), waited);
            const auto end = std::find_if_not(begin, events.end(), waited);
            std::ranges::sort(begin, end, {}, &DeviceEvent::address);
            begin = end;
        }
    }

    std::string compare(std::vector<DeviceEvent> recorded) {
        sortWaited(said_);
        sortWaited(recorded);
        for (std::size_t i = 0; i < std::max(said_.size(), recorded.size()); ++i) {
            if (i >= said_.size() || i >= recorded.size()) {
                return fmt::format("{} events, recorded {}; the first of the rest is {}", said_.size(),
                                   recorded.size(), textOf(i >= said_.size() ? recorded[i] : said_[i]));
            }
            if (said_[i] != recorded[i]) {
                return fmt::format("event {}: {}; recorded {}", i, textOf(said_[i]), textOf(recorded[i]));
            }
        }
        return "";
    }

    CachingAllocator& allocator_;
    const RecordedTrace& trace_;
    std::vector<DeviceEvent> said_;
    std::size_t next_ = 0;
    std::map<std::int64_t, BlockIndex> blocks_;
    bool byAge_ = false;
    std::map<std::int64_t, std::int64_t> moved_;  // from a segment's own address to the recorded one
    std::int64_t nextOwn_ = std::int64_t{1} << 40;
    Ranges ranges_;  // of expandable segments
    std::int64_t nowhere_ = std::int64_t{1} << 50;
};

}  // namespace

std::string simulateRecording(const RecordedTrace& trace) {
    auto allocator = CachingAllocator::create(trace.config, {trace.total, trace.capacity, std::nullopt});
    if (!allocator) {
        return allocator.error().message;
    }
    Replay replay(*allocator, trace, trace.version >= kByAge && !trace.config.expandableSegments);
    for (std::size_t i = 0; i < trace.operations.size(); ++i) {
        const RecordedOperation& operation = trace.operations[i];
        if (const auto wrong = replay.playNext(); !wrong.empty()) {
            return at(i, trace, wrong);
        }
        if (const auto wrong = difference(statsOf(allocator->stats(), &Gauge::current), operation.stats);
            !wrong.empty()) {
            return at(i, trace, wrong);
        }
    }
    RecordedStats peaks = statsOf(allocator->stats(), &Gauge::peak);
    for (std::size_t i = RecordedStats::Retries; i < RecordedStats::Count; ++i) {
        peaks.values.at(i) = 0;
    }
    const auto wrong = difference(peaks, trace.peaks);
    return wrong.empty() ? "" : "peaks: " + wrong;
}

}  // namespace highwater::memory::testing
