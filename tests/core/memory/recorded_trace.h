#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/allocator_config.h"
#include "core/memory/allocator_snapshot.h"
#include "core/memory/device_event.h"

namespace highwater::memory::testing {

/// The allocator's own figures, in the order of tests/gpu/allocator_check/record.py.
struct RecordedStats {
    enum Index {
        Allocated,
        Active,
        Reserved,
        Requested,
        Split,
        Allocations,
        ActiveBlocks,
        Segments,
        SplitBlocks,
        SmallAllocated,
        SmallReserved,
        OversizeAllocations,
        OversizeSegments,
        Retries,
        OutOfMemories,
        DeviceAllocations,
        DeviceFrees,
        Count
    };
    std::array<std::int64_t, Count> values{};
    bool operator==(const RecordedStats&) const = default;
};

struct RecordedOperation {
    std::string name;
    std::vector<DeviceEvent> events;
    RecordedStats stats;                        ///< afterwards
    std::optional<AllocatorSnapshot> segments;  ///< afterwards; without pools and kinds of segments
};

/// The actions of LibTorch's CUDA caching allocator in one run.
struct RecordedTrace {
    TorchVersion version;
    AllocatorConfig config;
    base::Bytes total = 0;
    base::Bytes capacity = 0;
    RecordedStats peaks;  ///< of the whole run, up to Retries
    std::vector<RecordedOperation> operations;
};

base::Result<RecordedTrace> readRecording(const std::filesystem::path& file);

/// Follows the recording with DeviceSegments and compares with the allocator's figures after every operation.
/// Returns the first difference, or an empty string.
std::string followRecording(const RecordedTrace& trace);

/// Executes the requests of the recording on the simulated allocator, and compares every event and, after
/// every operation, every figure. Returns the first difference, or an empty string.
std::string simulateRecording(const RecordedTrace& trace);

// Used by both comparisons.

/// Of a segment, or of memory in an expandable one.
bool addsMemory(const DeviceEvent& event);
std::string textOf(const DeviceEvent& event);
std::string at(std::size_t operation, const RecordedTrace& trace, std::string_view what);
/// The first figure that differs, except unknown ones; empty if none does.
std::string difference(const RecordedStats& ours, const RecordedStats& recorded,
                       std::initializer_list<RecordedStats::Index> unknown = {});

}  // namespace highwater::memory::testing
