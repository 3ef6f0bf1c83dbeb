#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"
#include "core/memory/trace_chunk.h"

/// RUN/trace.db: every allocation of a run (schema: docs/trace-format.md). Events are stored as column blobs
/// of at most 65,536 events per row, so that a gigabyte opens in seconds. Each row lists the blocks that were
/// allocated at its start, so that a range can be read separately.
namespace highwater::runs {

/// The chunks that the engine emits while it runs.
using memory::TraceChunk;

/// The path of the trace in a run's folder.
std::filesystem::path traceFile(const std::filesystem::path& runFolder);

class TraceWriter {
public:
    /// Error if there is a trace already, or the file cannot be written.
    static base::Result<TraceWriter> create(const std::filesystem::path& runFolder,
                                            const std::vector<std::string>& layers);
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;
    ~TraceWriter();
    /// Not thread-safe; call it from one thread other than the training thread. Data is on disk a second
    /// after its append() if append() is called again by then, also with an empty chunk. A chunk with a note
    /// is the last one with events. Error if the disk fails or the chunk is inconsistent; after it nothing
    /// more is written.
    base::Status append(const TraceChunk& chunk);
    /// Marks the trace as complete, unless a chunk had a note. A trace without this mark (from a killed
    /// engine) can be read up to its last row.
    base::Status finish();

private:
    struct Impl;
    explicit TraceWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Converts the trace that has arrived from a host (core/memory/trace_record.h), if there is one, to trace.db
/// and removes the original. Unreadable parts are left out, and the trace's note says why. Error: trace.db
/// cannot be written, or the events contradict each other; the original then stays.
base::Status importTrace(const std::filesystem::path& runFolder);

/// A part of a trace that can be read separately.
struct TraceRow {
    std::int64_t first = 0, count = 0;  ///< events: number of the first, and count
    std::int64_t time = 0;              ///< time of the first event, in nanoseconds
    memory::Ledger before;              ///< the ledger at its start
    base::Bytes highest = 0;            ///< the highest total in it
};

struct TraceInfo {
    std::int64_t events = 0;
    std::int64_t blocks = 0;
    base::Bytes peak = 0;
    std::int64_t peakEvent = 0;  ///< -1: the peak is at the start
    bool complete = true;        ///< it covers the run to its end
    std::string note;            ///< why it is not complete, if known
    std::int64_t fileBytes = 0;
    std::vector<memory::TraceStep> steps;  ///< at most 100,000; `event` is the number in the whole trace
    std::vector<TraceRow> rows;            ///< ascending, without gaps
};
/// Error if there is no trace (the run was made before this version, or with --no-trace) or it is damaged
/// (the message says what was expected).
base::Result<TraceInfo> inspectTrace(const std::filesystem::path& runFolder);
/// Reads the whole trace, with the run's budget, its warm-up and, if it ran out of memory, the refused
/// request at the end; or the existing events in [first, first + count). The blocks of a range are numbered
/// from 0 again, and Trace::steps are the steps that begin in it. `progress` gets 0..1; if it returns false,
/// reading stops with the Error "cancelled". Other errors as above. Memory is bounded by the file's size.
struct TraceRange {
    std::int64_t first = 0, count = 0;
};
base::Result<memory::Trace> readTrace(const std::filesystem::path& runFolder,
                                      std::optional<TraceRange> range = {},
                                      const std::function<bool(double)>& progress = {});

}  // namespace highwater::runs
