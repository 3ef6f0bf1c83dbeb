#include "tests/core/memory/recorded_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/memory/allocator_rules.h"
#include "core/memory/caching_allocator.h"
#include "core/memory/device_segments.h"

namespace highwater::memory::testing {

using base::Bytes;
using base::Error;
using nlohmann::json;

namespace {

constexpr std::string_view kKinds = "afcAFMUo";

DeviceEvent eventOf(const json& e) {
    const auto kind = kKinds.find(e.at(0).get<std::string>());
    if (kind == std::string_view::npos)
        throw std::runtime_error("an event of an unknown kind");
    return {static_cast<DeviceEvent::Kind>(kind), e.at(1), e.at(2), e.at(3)};
}

std::string textOf(const DeviceEvent& e) {
    return fmt::format("{} {} {} B, stream {}", kKinds.at(static_cast<std::size_t>(e.kind)), e.address,
                       e.bytes, e.stream);
}

AllocatorSnapshot segmentsOf(const json& recorded) {
    static const std::map<std::string, BlockState> states = {
        {"a", BlockState::Allocated}, {"p", BlockState::Waiting}, {"f", BlockState::Free}};
    AllocatorSnapshot segments;
    for (const auto& s : recorded) {
        SegmentInfo segment{s.at(0), s.at(1), s.at(2), false, false, {}};
        std::int64_t at = segment.address;
        for (const auto& b : s.at(3)) {
            segment.blocks.push_back({at, b.at(0), b.at(1), states.at(b.at(2))});
            at += segment.blocks.back().size;
        }
        segments.push_back(std::move(segment));
    }
    return segments;
}

RecordedStats statsOf(const json& values) {
    RecordedStats stats;
    for (std::size_t i = 0; i < values.size(); ++i)
        stats.values.at(i) = values[i];
    return stats;
}

RecordedOperation operationOf(const json& line) {
    RecordedOperation operation{line.at("op"), {}, statsOf(line.at("stats")), {}};
    for (const auto& event : line.at("events"))
        operation.events.push_back(eventOf(event));
    if (line.contains("segments"))
        operation.segments = segmentsOf(line["segments"]);
    return operation;
}

/// Without what a recording does not say; streams in the numbers of the recording.
AllocatorSnapshot plain(AllocatorSnapshot segments, const std::vector<Stream>& streams) {
    for (auto& segment : segments) {
        segment.stream = streams.at(segment.stream);
        segment.small = segment.expandable = false;
    }
    return segments;
}

std::string textOf(const AllocatorSnapshot& segments) {
    std::string text;
    for (const auto& s : segments) {
        text += fmt::format("\n  segment {} {} B, stream {}:", s.address, s.size, s.stream);
        for (const auto& b : s.blocks)
            text += fmt::format(" {}{}/{}", "?apf"[static_cast<int>(b.state)], b.requested, b.size);
    }
    return text;
}

std::string difference(const RecordedStats& ours, const RecordedStats& recorded,
                       std::initializer_list<RecordedStats::Index> unknown = {}) {
    static constexpr const char* names[] = {"allocated",          "active",          "reserved",
                                            "requested",          "inactive_split",  "allocations",
                                            "active blocks",      "segments",        "inactive_split blocks",
                                            "allocated, small",   "reserved, small", "oversize allocations",
                                            "oversize segments",  "retries",         "ooms",
                                            "device allocations", "device frees"};
    for (int i = 0; i < RecordedStats::Count; ++i)
        if (std::ranges::find(unknown, i) == unknown.end() &&
            ours.values.at(static_cast<std::size_t>(i)) != recorded.values.at(static_cast<std::size_t>(i)))
            return fmt::format("{}: {}, recorded {}", names[i], ours.values.at(static_cast<std::size_t>(i)),
                               recorded.values.at(static_cast<std::size_t>(i)));
    return "";
}

TorchVersion versionOf(const RecordedTrace& trace) {
    TorchVersion version{0, 0};
    std::sscanf(trace.torch.c_str(), "%d.%d", &version.major, &version.minor);
    return version;
}

base::Result<AllocatorConfig> configOf(const RecordedTrace& trace) {
    return parseAllocatorConfig(trace.conf, versionOf(trace));
}

/// Among free blocks of one size 2.11 takes the one with the lowest address, 2.15 that of the oldest segment.
/// Where in between that changed is not known.
constexpr TorchVersion kByAge{2, 15};

bool addsMemory(const DeviceEvent& event) {
    return event.kind == DeviceEvent::Kind::SegmentAllocate || event.kind == DeviceEvent::Kind::SegmentMap;
}

std::string at(std::size_t operation, const RecordedTrace& trace, std::string_view what) {
    return fmt::format("operation {} ({}): {}", operation, trace.operations[operation].name, what);
}

/// DeviceSegments' figures; those that it has none for stay 0.
RecordedStats statsOf(const DeviceSegments& segments) {
    using enum RecordedStats::Index;
    const SegmentTotals& t = segments.totals();
    const SegmentCounts& c = segments.counts();
    RecordedStats stats;
    stats.values[Allocated] = t.allocated();
    stats.values[Active] = t.active();
    stats.values[Reserved] = t.reserved();
    stats.values[Requested] = t.requested + t.pendingRequested;
    stats.values[Split] = t.split;
    stats.values[Allocations] = c.allocations;
    stats.values[ActiveBlocks] = c.allocations + c.pending;
    stats.values[Segments] = c.segments;
    stats.values[Retries] = c.retries;
    stats.values[OutOfMemories] = c.outOfMemories;
    stats.values[DeviceAllocations] = c.deviceAllocations;
    stats.values[DeviceFrees] = c.deviceFrees;
    return stats;
}

RecordedStats statsOf(const AllocatorStats& s, std::int64_t Gauge::*which) {
    const PoolStats& a = s.all;
    return {{a.allocatedBytes.*which, a.activeBytes.*which, a.reservedBytes.*which, a.requestedBytes.*which,
             a.inactiveSplitBytes.*which, a.allocations.*which, a.active.*which, a.segments.*which,
             a.inactiveSplit.*which, s.small.allocatedBytes.*which, s.small.reservedBytes.*which,
             s.oversizeAllocations.*which, s.oversizeSegments.*which, s.allocationRetries, s.outOfMemories,
             s.deviceAllocations, s.deviceFrees}};
}

/// The simulated allocator, driven by what the program of a recording asked for and gave back.
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

    /// What differed, or nothing.
    std::string playNext() {
        const RecordedOperation& operation = trace_.operations.at(next_++);
        said_.clear();
        if (operation.name == "empty_cache")
            allocator_.emptyCache();
        for (std::size_t i = 0; i < operation.events.size(); ++i)
            if (auto wrong = play(operation.events, i); !wrong.empty())
                return wrong;
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
            if (block.has_value() != (e.kind == Allocate))
                return block ? "served what ran out of memory" : "ran out of memory for " + textOf(e);
            if (block)
                blocks_[recordedAddress(allocator_.block(*block).address)] = *block;
        } else if (e.kind == FreeRequested) {
            const auto known = blocks_.extract(e.address);
            if (known.empty())
                return "nothing to free for " + textOf(e);
            const bool waits = i + 1 == events.size() || events[i + 1].kind != FreeCompleted ||
                               events[i + 1].address != e.address;
            if (waits)
                allocator_.recordStream(known.mapped(), kOther);
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
            for (; said < events.size(); ++said)
                if (addsMemory(events[said]) && events[said].stream == stream &&
                    (events[said].bytes == kSmallUnit) == small &&
                    rangeOf(events[said].address) == ranges_.end()) {
                    if (events[said].kind == DeviceEvent::Kind::SegmentMap)
                        ranges_[events[said].address] = {bytes, 0};
                    return events[said].address;
                }
        }
        return nowhere_ += std::int64_t{1} << 45;
    }

    /// The range that an address lies in, or the end.
    Ranges::iterator rangeOf(std::int64_t address) {
        const auto after = ranges_.upper_bound(address);
        if (after == ranges_.begin() || address >= std::prev(after)->first + std::prev(after)->second.bytes)
            return ranges_.end();
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

    /// A range whose last memory went back is gone.
    void hear(DeviceEvent event) {
        if (event.kind != DeviceEvent::Kind::OutOfMemory)
            event.address = recordedAddress(event.address);
        said_.push_back(event);
        const auto range = rangeOf(event.address);
        if (range == ranges_.end())
            return;
        if (event.kind == DeviceEvent::Kind::SegmentMap)
            range->second.mapped += event.bytes;
        if (event.kind == DeviceEvent::Kind::SegmentUnmap && (range->second.mapped -= event.bytes) == 0)
            ranges_.erase(range);
    }

    /// Blocks that waited come back by stream, the streams in the order of a hash table: any order counts.
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
            if (i >= said_.size() || i >= recorded.size())
                return fmt::format("{} events, recorded {}; the first of the rest is {}", said_.size(),
                                   recorded.size(), textOf(i >= said_.size() ? recorded[i] : said_[i]));
            if (said_[i] != recorded[i])
                return fmt::format("event {}: {}; recorded {}", i, textOf(said_[i]), textOf(recorded[i]));
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

base::Result<RecordedTrace> readRecording(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in)
        return Error{file.string() + " cannot be read"};
    try {
        std::string line;
        std::getline(in, line);
        const json head = json::parse(line);
        RecordedTrace trace{head.at("torch"),
                            head.at("conf"),
                            head.at("scenario"),
                            head.at("total"),
                            head.at("capacity"),
                            statsOf(head.at("peaks")),
                            {}};
        while (std::getline(in, line))
            trace.operations.push_back(operationOf(json::parse(line)));
        return trace;
    } catch (const std::exception& e) {
        return Error{file.string() + ": " + e.what()};
    }
}

std::string followRecording(const RecordedTrace& trace) {
    using enum RecordedStats::Index;
    const auto config = configOf(trace);
    if (!config)
        return config.error().message;
    DeviceSegments picture(*config);
    std::vector<Stream> streams{0};
    for (std::size_t i = 0; i < trace.operations.size(); ++i) {
        const RecordedOperation& operation = trace.operations[i];
        for (const DeviceEvent& event : operation.events) {
            picture.take(event);
            const auto stream = static_cast<Stream>(event.stream);
            if (addsMemory(event) && std::ranges::find(streams, stream) == streams.end())
                streams.push_back(stream);
        }
        if (operation.name == "empty_cache")
            picture.cacheEmptied();
        if (picture.counts().inconsistencies > 0)
            return at(i, trace, "an event contradicts the picture");
        RecordedStats ours = statsOf(picture);
        if (config->expandableSegments)  // the allocator does not count those
            ours.values[Split] = operation.stats.values[Split];
        if (config->maxSplitSize != kUnlimited || config->garbageCollectionThreshold > 0)
            ours.values[Retries] = operation.stats.values[Retries];  // may look alike
        if (const auto wrong = difference(
                ours, operation.stats,
                {SplitBlocks, SmallAllocated, SmallReserved, OversizeAllocations, OversizeSegments});
            !wrong.empty())
            return at(i, trace, wrong);
        if (operation.segments && plain(picture.snapshot(), streams) != *operation.segments)
            return at(i, trace,
                      "segments" + textOf(plain(picture.snapshot(), streams)) + "\nrecorded" +
                          textOf(*operation.segments));
    }
    return "";
}

std::string simulateRecording(const RecordedTrace& trace) {
    const auto config = configOf(trace);
    if (!config)
        return config.error().message;
    auto allocator = CachingAllocator::create(*config, {trace.total, trace.capacity, std::nullopt});
    if (!allocator)
        return allocator.error().message;
    Replay replay(*allocator, trace, versionOf(trace) >= kByAge && !config->expandableSegments);
    for (std::size_t i = 0; i < trace.operations.size(); ++i) {
        const RecordedOperation& operation = trace.operations[i];
        if (const auto wrong = replay.playNext(); !wrong.empty())
            return at(i, trace, wrong);
        if (const auto wrong = difference(statsOf(allocator->stats(), &Gauge::current), operation.stats);
            !wrong.empty())
            return at(i, trace, wrong);
    }
    RecordedStats peaks = statsOf(allocator->stats(), &Gauge::peak);
    for (std::size_t i = RecordedStats::Retries; i < RecordedStats::Count; ++i)
        peaks.values.at(i) = 0;
    const auto wrong = difference(peaks, trace.peaks);
    return wrong.empty() ? "" : "peaks: " + wrong;
}

}  // namespace highwater::memory::testing
