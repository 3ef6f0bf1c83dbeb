#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/capture/capture.h"

/// A PyTorch memory snapshot as the allocator recorded it: every device, event, segment and block. The trace
/// (capture.h) shows what the program did, phase by phase.
namespace highwater::capture {

/// The pool that memory belongs to: (0, 0) is the shared default; others are private to CUDA graphs, or the
/// program's own (torch.cuda.MemPool).
struct PoolId {
    std::int64_t first = 0, second = 0;
    bool isPrivate() const { return first != 0 || second != 0; }
    bool operator==(const PoolId&) const = default;
};

struct HistoryEvent {
    enum class Kind : std::uint8_t {
        Other,            ///< an unknown kind; changes nothing
        Allocate,         ///< "alloc"
        FreeRequested,    ///< the program freed the block
        FreeCompleted,    ///< no stream uses the block any more
        SegmentAllocate,  ///< from cudaMalloc; the allocation that needed it follows
        SegmentFree,
        SegmentMap,  ///< memory mapped into an expandable segment
        SegmentUnmap,
        OutOfMemory,  ///< "oom"
        Snapshot      ///< a snapshot was taken; changes nothing
    };
    Kind kind = Kind::Other;
    std::uint64_t address = 0;  ///< for OutOfMemory: the device's free memory in bytes
    base::Bytes size = -1;      ///< of blocks: the requested size; -1: not in the file
    std::uint64_t stream = 0;   ///< the cudaStream_t; 0 is the default stream
    std::int64_t time = -1;     ///< microseconds; -1: none, as before PyTorch 2.2
    PoolId pool;                ///< (0, 0) before PyTorch 2.12, which does not record it
    std::int32_t stack = -1;    ///< call stack, an index into DeviceSnapshot::stacks; -1: unknown

    /// Whether it changes the allocator's state.
    bool changes() const { return kind != Kind::Other && kind != Kind::Snapshot; }
};

struct HistoryBlock {
    enum class State : std::uint8_t {
        Allocated,
        Waiting,  ///< freed by the program, but a stream still uses it
        Free
    };
    std::uint64_t address = 0;
    base::Bytes size = 0;
    base::Bytes requested = 0;  ///< for a free block: its last user's request, or 0
    State state = State::Free;
    std::int32_t stack = -1;  ///< call stack of the allocation, an index into DeviceSnapshot::stacks; -1:
                              ///< unknown
    std::int64_t age = -1;    ///< microseconds from its allocation to the last event; -1: unknown
};

/// A segment from cudaMalloc, or a contiguous range of mapped memory in an expandable segment.
struct HistorySegment {
    std::uint64_t address = 0;
    base::Bytes size = 0;
    std::uint64_t stream = 0;
    bool small = false;  ///< for blocks up to 1 MiB
    bool expandable = false;
    PoolId pool;
    std::vector<HistoryBlock> blocks;  ///< in the file's order, by address
};

/// What to read from a snapshot.
struct SnapshotRequest {
    std::optional<std::int64_t> device;  ///< none: the one given by chosenDevice()
    std::optional<Range> range;          ///< none: all of its events
    /// If there are more events and no range, the trace is left out.
    std::int64_t mostEvents = std::numeric_limits<std::int64_t>::max();
};

/// One device of a snapshot: its history as a trace if it has one, and its segments.
struct DeviceSnapshot {
    SnapshotInfo info;                   ///< its events and peak are for `device`
    std::int64_t device = -1;            ///< -1: the file describes no device
    std::optional<memory::Trace> trace;  ///< none: no history, or too many events (mostEvents)
    std::vector<HistorySegment> segments;
    std::shared_ptr<const memory::CallStacks> stacks;  ///< call stacks of trace and blocks; null: there are
                                                       ///< none
    bool own = false;                                  ///< written by Highwater: the segments are synthetic
    /// All events of the device, unless there are more than kMostReplayed; and for each event of its whole
    /// trace the index of the recorded event it comes from. segmentsAt() reconstructs earlier states from
    /// them.
    static constexpr std::size_t kMostReplayed = 2'000'000;
    std::vector<HistoryEvent> events;
    std::vector<std::uint32_t> eventOf;
};

/// Reads everything about one device of a file, as readSnapshot() does. Error as
/// readSnapshot(), or if the file has no such device.
base::Result<DeviceSnapshot> openSnapshot(const std::filesystem::path& file,
                                          const SnapshotRequest& request = {}, const Progress& progress = {});
base::Result<DeviceSnapshot> openSnapshotBytes(std::string_view bytes, const SnapshotRequest& request = {});

}  // namespace highwater::capture
