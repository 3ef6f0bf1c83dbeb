#include "tests/core/capture/replay/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "tests/core/capture/replay/describe.h"

namespace highwater::capture {

namespace {

using Kind = HistoryEvent::Kind;

constexpr std::uint64_t kLastAddress = std::uint64_t{1} << 61;
/// The release whose options are parsed from the text: the newest one that was compared.
constexpr memory::TorchVersion kNewest{2, 12};

bool has(const DeviceHistory& device, Kind one, Kind other) {
    return std::ranges::any_of(device.events,
                               [&](const HistoryEvent& e) { return e.kind == one || e.kind == other; });
}

bool maps(const DeviceHistory& device) {
    return has(device, Kind::SegmentMap, Kind::SegmentUnmap);
}

/// Describes a value that no device can have; empty if there is none.
std::string senseless(const DeviceHistory& device) {
    const auto bad = [](std::uint64_t address, base::Bytes size) {
        return address == 0 || address > kLastAddress || size < 1 || size > kMostMemory;
    };
    for (std::size_t i = 0; i < device.events.size(); ++i) {
        const HistoryEvent& event = device.events[i];
        const bool placed = event.kind != Kind::OutOfMemory;
        if (event.changes() && bad(placed ? event.address : 1, event.size)) {
            return fmt::format("event {} makes no sense: {}", i, describe(event));
        }
    }
    for (const HistorySegment& segment : device.segments) {
        if (bad(segment.address, segment.size)) {
            return fmt::format("a segment makes no sense: {} at {:#x}", base::formatBytes(segment.size),
                               segment.address);
        }
        for (const HistoryBlock& block : segment.blocks) {
            if (bad(block.address, block.size)) {
                return fmt::format("a block makes no sense: {} at {:#x}", base::formatBytes(block.size),
                                   block.address);
            }
        }
    }
    return "";
}

bool usesPrivatePools(const DeviceHistory& device) {
    return std::ranges::any_of(device.segments, [](const auto& s) { return s.pool.isPrivate(); }) ||
           std::ranges::any_of(device.events, [](const auto& e) { return e.pool.isPrivate(); });
}

bool mixesSegments(const DeviceHistory& device) {
    const bool expandable =
        maps(device) || std::ranges::any_of(device.segments, [](const auto& s) { return s.expandable; });
    const bool whole = has(device, Kind::SegmentAllocate, Kind::SegmentFree) ||
                       std::ranges::any_of(device.segments, [](const auto& s) { return !s.expandable; });
    return expandable && whole;
}

}  // namespace

memory::AllocatorConfig configOf(const History& history, const DeviceHistory& device,
                                 const ReplayOptions& options) {
    memory::AllocatorConfig config;
    if (history.settings) {
        if (const auto read = memory::parseAllocatorConfig(history.settings->text, kNewest)) {
            config = *read;
        }
        config.maxSplitSize = history.settings->maxSplitSize;
        config.roundupDivisions = history.settings->roundupDivisions;
    }
    config.era = memory::allocatorEra(options.libtorch.value_or(history.torch.first));
    config.garbageCollectionThreshold = 0;  // it depends on the memory fraction, which is not in the file
    config.memoryFraction = 1;
    config.expandableSegments = maps(device) || std::ranges::any_of(device.segments, [](const auto& segment) {
                                    return segment.expandable;
                                });
    return config;
}

std::string obstacle(const History& history, const DeviceHistory& device) {
    if (std::ranges::none_of(device.events, &HistoryEvent::changes)) {
        return "no history: only the state at the end was recorded";
    }
    if (history.own) {
        return "written by Highwater: its addresses are made up";
    }
    if (usesPrivatePools(device)) {
        return "private pools, which are not simulated";
    }
    if (mixesSegments(device)) {
        return "expandable segments beside others: the setting changed during the recording";
    }
    return senseless(device);
}

}  // namespace highwater::capture
