#pragma once

#include <filesystem>

#include "core/base/memory_budget.h"
#include "core/base/result.h"
#include "core/capture/history.h"
#include "core/capture/snapshot_records.h"

namespace highwater::capture {

/// The parts of a snapshot.
struct SnapshotContents {
    std::vector<Value> traces;            ///< each device's list of events; possibly not a list
    Value segments;                       ///< the list of segments
    Value own;                            ///< Highwater's own fields, see snapshot_fields.h
    std::vector<SnapshotDevice> devices;  ///< by number
};

/// Finds these parts in a dictionary or in a list of segments, and counts the memory that histories, traces
/// and stacks built from them will take. Error if a key is missing (the message names it); if a device,
/// segment, block or event is listed twice, which would let a small pickle expand to a large snapshot; or if
/// they take more than `budget`.
base::Result<SnapshotContents> snapshotContents(const SnapshotRecords& records, Value root,
                                                base::MemoryBudget& budget);

/// An event as the allocator recorded it.
HistoryEvent historyEvent(const SnapshotRecords& records, const PickleStore& store,
                          const EventRecord& record);
/// The segments in the list, of one device or all, each with its device.
std::vector<std::pair<std::int64_t, HistorySegment>> historySegments(const SnapshotRecords& records,
                                                                     const PickleStore& store, Value segments,
                                                                     std::optional<std::int64_t> device = {});
/// Computes the age of blocks in use from a device's events, where these name the block.
void findAges(const SnapshotRecords& records, Value events, std::vector<HistorySegment>& segments);

/// A device's history as a trace; `skipped` counts inconsistent events. The trace passes memory::check.
struct SnapshotTrace {
    memory::Trace trace;
    std::int64_t skipped = 0;
    std::vector<std::uint32_t> eventOf;  ///< for each event of the trace, its index in the device's list
    /// The device has no history: none of its events concerns its memory.
    bool empty() const {
        return trace.events.empty() && trace.alive.empty() && trace.refusals.empty() && skipped == 0;
    }
};
base::Result<SnapshotTrace> snapshotTrace(const SnapshotRecords& records, const PickleStore& store,
                                          const SnapshotContents& contents, std::int64_t device);

/// Turns a snapshot's microseconds into a trace's nanoseconds.
struct SnapshotClock {
    std::int64_t start = 0;
    /// -1 if `micros` is before the start or not a time.
    std::int64_t at(std::int64_t micros) const {
        constexpr std::int64_t most = std::int64_t{1} << 52;
        return micros < start || micros - start > most ? -1 : (micros - start) * 1000;
    }
};

/// Two sources of steps: torch.profiler's annotations ("ProfilerStep#3") on a device, located by time; and
/// Highwater's own, located by event. Steps out of order are left out.
std::vector<memory::TraceStep> profilerSteps(const SnapshotRecords& records, std::int64_t device,
                                             const SnapshotClock& clock,
                                             const std::vector<memory::TraceEvent>& events);
std::vector<memory::TraceStep> ownSteps(const SnapshotRecords& records, const PickleStore& store, Value own,
                                        std::size_t events);

/// Gives blocks without a known category one that fits their lifetime, and their events too; Trace::guessed
/// says which they are. A block allocated in the forward pass that outlives it is an activation; in the
/// backward pass, a gradient; in the optimizer's step, optimizer state. One that does not outlive its pass is
/// temporary. One allocated while data is loaded is input. A block from before the trace is a parameter if it
/// is never freed, otherwise an activation. So is a block from any other phase.
void guessCategories(memory::Trace& trace, std::vector<std::optional<memory::Category>> known);

/// The error of a file, in one line that begins with its name. If the file is of another kind, it says which.
base::Error errorOfFile(const std::filesystem::path& file, const base::Error& error);

/// A part of a trace as a separate trace, including the blocks that are live at its start.
memory::Trace cut(memory::Trace trace, std::int64_t first, std::int64_t count);

}  // namespace highwater::capture
