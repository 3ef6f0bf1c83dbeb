#pragma once

#include "core/base/result.h"
#include "core/capture/snapshot_records.h"

namespace highwater::capture {

/// Where a snapshot's history is: the list of each device's events.
struct SnapshotContents {
    std::vector<Value> devices;  ///< lists, or what stands in the place of one
    int device = -1;             ///< the one with the most events; -1: none has any
    Value own;                   ///< what Highwater wrote beside, see snapshot_fields.h
};

/// Errors say which key is missing.
base::Result<SnapshotContents> snapshotContents(const SnapshotRecords& records, Value root);

/// The device's history as a trace; `skipped` counts the events that made no sense. The trace passes
/// memory::check.
struct SnapshotTrace {
    memory::Trace trace;
    std::int64_t skipped = 0;
};
base::Result<SnapshotTrace> snapshotTrace(const SnapshotRecords& records, const PickleStore& store,
                                          Value root, const SnapshotContents& contents);

/// Turns a snapshot's microseconds into a trace's nanoseconds.
struct SnapshotClock {
    std::int64_t start = 0;
    /// -1 where `micros` is before the start, or no time.
    std::int64_t at(std::int64_t micros) const {
        constexpr std::int64_t most = std::int64_t{1} << 52;
        return micros < start || micros - start > most ? -1 : (micros - start) * 1000;
    }
};

/// The steps that torch.profiler annotated ("ProfilerStep#3") on a device, by their time; those that
/// Highwater wrote, by their event. Out of order ones are left out.
std::vector<memory::TraceStep> profilerSteps(const SnapshotRecords& records, int device,
                                             const SnapshotClock& clock,
                                             const std::vector<memory::TraceEvent>& events);
std::vector<memory::TraceStep> ownSteps(const SnapshotRecords& records, const PickleStore& store, Value own,
                                        std::size_t events);

/// Gives blocks whose category nothing tells the one that their life suggests, and their events with them.
/// What is born forward and outlives the pass is an activation, backward a gradient, in the optimizer its
/// state; what does not is temporary; what is loaded is input. What lives from before is a parameter if it is
/// never freed, and like everything else an activation if it is.
void guessCategories(memory::Trace& trace, std::vector<std::optional<memory::Category>> known);

/// A part of a trace as a trace of its own, with what lives at its start.
memory::Trace cut(memory::Trace trace, std::int64_t first, std::int64_t count);

}  // namespace highwater::capture
