#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"
#include "core/memory/trace_chunk.h"

/// RUN/trace.db: every allocation of a run (schema: docs/trace-format.md). Events are column blobs of at most
/// 65,536 events a row, so that a billion bytes open in seconds, and each row names what lived at its start,
/// so that a range opens alone.
namespace highwater::runs {

/// What the engine hands over while it runs.
using memory::TraceChunk;

/// The file in a run's folder.
std::filesystem::path traceFile(const std::filesystem::path& runFolder);

class TraceWriter {
public:
    /// Errors: there is one already, the disk.
    static base::Result<TraceWriter> create(const std::filesystem::path& runFolder,
                                            const std::vector<std::string>& layers);
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;
    ~TraceWriter();
    /// Not thread-safe; call it from one thread that is not the training thread. What was appended is on disk
    /// a second later if append() is called again by then, also with an empty chunk. A chunk with a note is
    /// the last that holds events. Errors: the disk, a chunk that makes no sense; then nothing more is
    /// written.
    base::Status append(const TraceChunk& chunk);
    /// Marks the trace as whole, unless a chunk's note said otherwise. A trace without it (a killed engine)
    /// opens up to its last row.
    base::Status finish();

private:
    struct Impl;
    explicit TraceWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A part of a trace that opens alone.
struct TraceRow {
    std::int64_t first = 0, count = 0;  ///< events
    std::int64_t time = 0;              ///< of the first, in nanoseconds
    memory::Ledger before;              ///< the ledger at its start
    base::Bytes highest = 0;            ///< the highest total within
};

struct TraceInfo {
    std::int64_t events = 0;
    std::int64_t blocks = 0;
    base::Bytes peak = 0;
    std::int64_t peakEvent = 0;  ///< -1: the start
    bool complete = true;        ///< it ends with its run
    std::string note;            ///< why it is not complete, where that is known
    std::int64_t fileBytes = 0;
    std::vector<memory::TraceStep> steps;  ///< at most 100,000; `event` is the number in the whole trace
    std::vector<TraceRow> rows;            ///< ascending, without gaps: the trace in outline
};
/// Errors: no trace (the run was made before this version, or with --no-trace), damaged (what was expected).
base::Result<TraceInfo> inspectTrace(const std::filesystem::path& runFolder);
/// The whole trace, or events [first, first + count) of it, as far as there are such; blocks are then
/// numbered anew, and Trace::steps are those that begin within. `progress` (0..1) stops the reading by
/// returning false (then an error says "cancelled"). Errors as above. Memory is bounded by the file's size.
struct TraceRange {
    std::int64_t first = 0, count = 0;
};
base::Result<memory::Trace> readTrace(const std::filesystem::path& runFolder,
                                      std::optional<TraceRange> range = {},
                                      const std::function<bool(double)>& progress = {});

}  // namespace highwater::runs
