#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/ranks/rank_link.h"
#include "core/memory/trace_chunk.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"
#include "core/wire/events.h"

namespace highwater::engine {

/// Receives the trace chunk by chunk. Called from a separate thread, one call at a time; the last call
/// returns before run() does. An error ends the trace, not the run.
using TraceSink = std::function<base::Status(const memory::TraceChunk& chunk)>;

/// The volumes of one case.
struct CaseVolumes {
    std::vector<volume::Volume> channels;  ///< all on one grid
    std::optional<volume::Volume> labels;
};

/// This process is one of several that train the same network, each with its own batches (data-parallel).
struct RankRequest {
    std::shared_ptr<RankLink> link;  ///< never null
    bool gradientAsBucketView = false;
    std::uint64_t seed =
        0;  ///< seed of the network's initial parameters; RunRequest::experiment has that of the data
    /// Rank 0: returns the results of the other ranks, in their order, after they have ended. Called once,
    /// when this rank's steps are over; if the run failed, link->stop() was called before.
    std::function<std::vector<wire::RankResult>()> others;
};

struct RunRequest {
    std::string runId;
    stack::Experiment experiment;
    std::vector<volume::Volume> channels;  ///< channels of a scan; empty for a cohort and for synthetic input
    std::optional<volume::Volume> labels;
    std::vector<CaseVolumes> cases;  ///< cases of a cohort; sizes and spacings may differ between cases
    std::string device = "cpu";
    int steps = 20;
    int warmup = 3;
    std::optional<base::Bytes> budget;
    /// Predicts the run before it begins. The prediction is stored in the result; a run that ends out of
    /// memory says what would have fit.
    bool predict = false;
    std::string previewFolder;  ///< existing folder for preview patches; empty: no previews
    TraceSink trace;            ///< receives every allocation and free; empty: nothing is recorded
    /// The trace holds whole steps: it ends, with a warning, before the first step with which it would
    /// probably have more events than this.
    std::int64_t traceEvents = 2'000'000;
    /// Counts how often the event sink has made its caller wait; null: it never does. A step is marked as
    /// waited (wire::StepDone) if the count changed during it or since the previous step, and is left out of
    /// the times.
    const std::atomic<std::int64_t>* waits = nullptr;
    std::optional<RankRequest> ranks;  ///< std::nullopt: this process trains alone
};

}  // namespace highwater::engine
