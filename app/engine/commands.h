#pragma once

#include <atomic>

#include "app/engine/options.h"
#include "core/base/result.h"
#include "core/engine/run/runner.h"

/// The engine's commands other than a run, and the request that a run is made from.
namespace highwater::engine_app {

/// The experiment and its volumes. Takes ownership of the descriptors, which are closed. The volumes of a
/// cohort come case by case: the channels of each, then its label map if the target is one. Errors are one
/// line.
base::Result<engine::RunRequest> makeRequest(const Options& options);

/// Prints the error on stderr and returns `code`, by default that of bad input.
int refuse(const base::Error& error, int code = 2);

/// `--patches`: writes samples of a run into a folder, with one JSON object per line on stdout for each. Exit
/// codes: 0, 2 (bad input, or they cannot be written), 4 (stdout cannot be written), 130 (stopped).
int sayPatches(const Options& options, const std::atomic<bool>& cancel);

/// `--calibrate`: measures the convolutions of a list and the machine's speed into a table; a summary goes to
/// stdout as one JSON object, progress to stderr. Exit codes: 0, 2 (bad input), 130 (stopped; what was
/// measured is kept).
int calibrate(const Options& options, const std::atomic<bool>& cancel);

/// `--environment`: LibTorch's and oneDNN's versions as one JSON object.
int sayEnvironment();

}  // namespace highwater::engine_app
