#pragma once

#include "core/base/result.h"
#include "core/capture/snapshot_records.h"

namespace highwater::capture {

/// The parts of a snapshot that make its history.
struct SnapshotContents {
    std::vector<Value> devices;  ///< each device's list of events, or another value in its place
    int device = -1;             ///< the device with the most events; -1: none has any
    Value own;                   ///< Highwater's own fields, see snapshot_fields.h
};

/// Finds these parts. Error if a key is missing; the message names it.
base::Result<SnapshotContents> snapshotContents(const SnapshotRecords& records, Value root);

/// The device's history as a trace; `skipped` counts inconsistent events. The trace passes memory::check.
struct SnapshotTrace {
    memory::Trace trace;
    std::int64_t skipped = 0;
};
base::Result<SnapshotTrace> snapshotTrace(const SnapshotRecords& records, const PickleStore& store,
                                          Value root, const SnapshotContents& contents);

/// Turns a snapshot's microseconds into a trace's nanoseconds.
struct SnapshotClock {
    std::int64_t start = 0;
    /// -1 if `micros` is before the start or not a time.
    std::int64_t at(std::int64_t micros) const {
        constexpr std::int64_t most = std::int64_t{1} << 52;
        return micros < start || micros - start > most ? -1 : (micros - start) * 1000;
    }
};

/// Two sources of steps: those that torch.profiler annotated ("ProfilerStep#3") on a device, located by time;
/// and those that Highwater wrote, located by event. Steps out of order are left out.
std::vector<memory::TraceStep> profilerSteps(const SnapshotRecords& records, int device,
                                             const SnapshotClock& clock,
                                             const std::vector<memory::TraceEvent>& events);
std::vector<memory::TraceStep> ownSteps(const SnapshotRecords& records, const PickleStore& store, Value own,
                                        std::size_t events);

/// Gives blocks without a known category one that fits their life, and their events too. A block that is
/// allocated in the forward pass and outlives it is an activation; in the backward pass, a gradient; in the
/// optimizer's step, its state. One that does not outlive its pass is temporary. One that is allocated while
/// data is loaded is input. A block from before the trace is a parameter if it is never freed, otherwise an
/// activation. So is a block from any other phase.
void guessCategories(memory::Trace& trace, std::vector<std::optional<memory::Category>> known);

/// A part of a trace as a trace of its own, with the blocks that are live at its start.
memory::Trace cut(memory::Trace trace, std::int64_t first, std::int64_t count);

}  // namespace highwater::capture
