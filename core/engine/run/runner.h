#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/engine/run_request.h"
#include "core/wire/events.h"

/// Runs an experiment with LibTorch and measures it. No LibTorch type appears in a header outside this
/// folder.
namespace highwater::engine {

/// Called from the training thread (state changes) or the sampling thread (ledger), one call at a time.
using EventSink = std::function<void(const wire::Event&)>;

/// Trains for `warmup + steps` steps. If the run ends in an expected way (done, cancelled, out of memory, a
/// LibTorch error), the result has that status. Error if the request itself cannot be run (invalid input,
/// unknown device). One run per process, so that the allocator's statistics start clean.
base::Result<wire::RunResult> run(const RunRequest& request, const EventSink& sink,
                                  const std::atomic<bool>& cancel);

/// Device, versions, threads and instruction set of this process.
wire::Environment environment(const std::string& device);

}  // namespace highwater::engine
