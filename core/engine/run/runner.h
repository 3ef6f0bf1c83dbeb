#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/trace_chunk.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"
#include "core/wire/events.h"

/// Runs an experiment with LibTorch and measures it. No LibTorch type appears in a header outside this
/// folder.
namespace highwater::engine {

/// Takes the trace part by part; called from a thread of its own, one call at a time, the last one before
/// run() returns. An error ends the trace, not the run.
using TraceSink = std::function<base::Status(const memory::TraceChunk& chunk)>;

/// The volumes of one case.
struct CaseVolumes {
    std::vector<volume::Volume> channels;  ///< on one grid
    std::optional<volume::Volume> labels;
};

struct RunRequest {
    std::string runId;
    stack::Experiment experiment;
    std::vector<volume::Volume> channels;  ///< of a scan; empty for a cohort and for synthetic input
    std::optional<volume::Volume> labels;
    std::vector<CaseVolumes> cases;  ///< of a cohort; their sizes and spacings may differ
    std::string device = "cpu";
    int steps = 20;
    int warmup = 3;
    std::optional<base::Bytes> budget;
    /// Asks the predictor before the run: goes into the result, and a run out of memory says what would have
    /// fitted.
    bool predict = false;
    std::string previewFolder;  ///< where patches are written; empty: none
    TraceSink trace;            ///< every allocation and free; empty: nothing is recorded
    /// The trace ends, with a warning, at the first step's start at which one step more would pass this
    /// number of events; so it holds whole steps.
    std::int64_t traceEvents = 2'000'000;
    /// How often the sink has made its caller wait so far; null: it never does. A step that begins after such
    /// a wait, or has one in it, is marked, and its times do not count.
    const std::atomic<std::int64_t>* waits = nullptr;
};

/// Called from the training thread (state changes) or the sampling thread (ledger), one call at a time.
using EventSink = std::function<void(const wire::Event&)>;

/// Trains `warmup + steps` steps. An expected end (done, cancelled, out of memory, a LibTorch error) is a
/// result with that status, never an exception; an Error means the request itself cannot be run (bad input,
/// unknown device). One run a process: the allocator's bookkeeping starts clean.
base::Result<wire::RunResult> run(const RunRequest& request, const EventSink& sink,
                                  const std::atomic<bool>& cancel);

/// Device, versions, threads and instruction set of this process.
wire::Environment environment(const std::string& device);

}  // namespace highwater::engine
