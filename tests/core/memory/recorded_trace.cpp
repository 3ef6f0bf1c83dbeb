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
    if (kind == std::string_view::npos) {
        throw std::runtime_error("an event of an unknown kind");
    }
    return {static_cast<DeviceEvent::Kind>(kind), e.at(1), e.at(2), e.at(3)};
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
    for (std::size_t i = 0; i < values.size(); ++i) {
        stats.values.at(i) = values[i];
    }
    return stats;
}

RecordedOperation operationOf(const json& line) {
    RecordedOperation operation{line.at("op"), {}, statsOf(line.at("stats")), {}};
    for (const auto& event : line.at("events")) {
        operation.events.push_back(eventOf(event));
    }
    if (line.contains("segments")) {
        operation.segments = segmentsOf(line["segments"]);
    }
    return operation;
}

/// Without values that a recording does not contain; with the recording's stream numbers.
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
        for (const auto& b : s.blocks) {
            text += fmt::format(" {}{}/{}", "?apf"[static_cast<int>(b.state)], b.requested, b.size);
        }
    }
    return text;
}

/// DeviceSegments' figures; those that it does not have stay 0.
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

}  // namespace

std::string textOf(const DeviceEvent& e) {
    return fmt::format("{} {} {} B, stream {}", kKinds.at(static_cast<std::size_t>(e.kind)), e.address,
                       e.bytes, e.stream);
}

std::string difference(const RecordedStats& ours, const RecordedStats& recorded,
                       std::initializer_list<RecordedStats::Index> unknown) {
    static constexpr const char* names[] = {"allocated",          "active",          "reserved",
                                            "requested",          "inactive_split",  "allocations",
                                            "active blocks",      "segments",        "inactive_split blocks",
                                            "allocated, small",   "reserved, small", "oversize allocations",
                                            "oversize segments",  "retries",         "ooms",
                                            "device allocations", "device frees"};
    for (int i = 0; i < RecordedStats::Count; ++i) {
        if (std::ranges::find(unknown, i) == unknown.end() &&
            ours.values.at(static_cast<std::size_t>(i)) != recorded.values.at(static_cast<std::size_t>(i))) {
            return fmt::format("{}: {}, recorded {}", names[i], ours.values.at(static_cast<std::size_t>(i)),
                               recorded.values.at(static_cast<std::size_t>(i)));
        }
    }
    return "";
}

bool addsMemory(const DeviceEvent& event) {
    return event.kind == DeviceEvent::Kind::SegmentAllocate || event.kind == DeviceEvent::Kind::SegmentMap;
}

std::string at(std::size_t operation, const RecordedTrace& trace, std::string_view what) {
    return fmt::format("operation {} ({}): {}", operation, trace.operations[operation].name, what);
}

base::Result<RecordedTrace> readRecording(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        return Error{file.string() + " cannot be read"};
    }
    try {
        std::string line;
        std::getline(in, line);
        const json head = json::parse(line);
        RecordedTrace trace;
        const auto torch = head.at("torch").get<std::string>();
        std::sscanf(torch.c_str(), "%d.%d", &trace.version.major, &trace.version.minor);
        const auto config = parseAllocatorConfig(head.at("conf").get<std::string>(), trace.version);
        if (!config) {
            return config.error();
        }
        trace.config = *config;
        trace.total = head.at("total");
        trace.capacity = head.at("capacity");
        trace.peaks = statsOf(head.at("peaks"));
        while (std::getline(in, line)) {
            trace.operations.push_back(operationOf(json::parse(line)));
        }
        return trace;
    } catch (const std::exception& e) {
        return Error{file.string() + ": " + e.what()};
    }
}

std::string followRecording(const RecordedTrace& trace) {
    using enum RecordedStats::Index;
    const AllocatorConfig& config = trace.config;
    DeviceSegments picture(config);
    std::vector<Stream> streams{0};
    for (std::size_t i = 0; i < trace.operations.size(); ++i) {
        const RecordedOperation& operation = trace.operations[i];
        for (const DeviceEvent& event : operation.events) {
            picture.take(event);
            const auto stream = static_cast<Stream>(event.stream);
            if (addsMemory(event) && std::ranges::find(streams, stream) == streams.end()) {
                streams.push_back(stream);
            }
        }
        if (operation.name == "empty_cache") {
            picture.cacheEmptied();
        }
        if (picture.counts().inconsistencies > 0) {
            return at(i, trace, "an event contradicts the picture");
        }
        RecordedStats ours = statsOf(picture);
        if (config.expandableSegments) {  // the allocator does not count those
            ours.values[Split] = operation.stats.values[Split];
        }
        if (config.maxSplitSize != kUnlimited || config.garbageCollectionThreshold > 0) {
            ours.values[Retries] = operation.stats.values[Retries];  // may look alike
        }
        if (const auto wrong = difference(
                ours, operation.stats,
                {SplitBlocks, SmallAllocated, SmallReserved, OversizeAllocations, OversizeSegments});
            !wrong.empty()) {
            return at(i, trace, wrong);
        }
        if (operation.segments && plain(picture.snapshot(), streams) != *operation.segments) {
            return at(i, trace,
                      "segments" + textOf(plain(picture.snapshot(), streams)) + "\nrecorded" +
                          textOf(*operation.segments));
        }
    }
    return "";
}

}  // namespace highwater::memory::testing
