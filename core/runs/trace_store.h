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

/// RUN/trace.db: every allocation of a run (schema: docs/trace-format.md). Events are column blobs of 65,536
/// events a row, so that a billion bytes open in seconds, and each row names what lived at its start, so that
/// a range opens alone.
namespace highwater::runs {

/// What the engine hands over while it runs: in order, blocks numbered from 0 in the order of allocation.
struct TraceChunk {
    std::vector<memory::TraceBlock> blocks;  ///< new ones, numbered on from the last chunk's
    std::vector<memory::TraceEvent> events;
    std::vector<memory::TraceStep> steps;  ///< `event` is the number in the whole trace
    std::vector<std::string> labels;       ///< new ones, numbered on
};

class TraceWriter {
public:
    static base::Result<TraceWriter> create(const std::filesystem::path& runFolder,
                                            const std::vector<std::string>& layers);
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;
    ~TraceWriter();
    /// Not thread-safe; call it from one thread that is not the training thread.
    base::Status append(const TraceChunk& chunk);
    /// Marks the trace as whole. A trace without it (a killed engine) opens up to its last row.
    base::Status finish();

private:
    struct Impl;
    explicit TraceWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

struct TraceInfo {
    std::int64_t events = 0;
    std::int64_t blocks = 0;
    base::Bytes peak = 0;
    std::int64_t peakEvent = 0;
    bool complete = true;
    std::vector<memory::TraceStep> steps;  ///< at most 100,000
};
/// Errors: no trace (the run was made before this version, or with --no-trace), damaged (what was expected).
base::Result<TraceInfo> inspectTrace(const std::filesystem::path& runFolder);
/// The whole trace, or events [first, first + count). `progress` (0..1) stops the reading by returning false.
struct TraceRange {
    std::int64_t first = 0, count = 0;
};
base::Result<memory::Trace> readTrace(const std::filesystem::path& runFolder,
                                      std::optional<TraceRange> range = {},
                                      const std::function<bool(double)>& progress = {});

}  // namespace highwater::runs
