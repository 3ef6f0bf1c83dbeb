#pragma once

#include <atomic>

#include "app/engine/options.h"
#include "core/base/result.h"
#include "core/engine/run/runner.h"

/// What highwater-engine does when it is asked for no run, and what it makes a run of.
namespace highwater::engine_app {

/// The experiment and its volumes, which it takes over: the descriptors are closed. A cohort's come case by
/// case, each its channels and then its label map where the target is one. Errors are one line.
base::Result<engine::RunRequest> makeRequest(const Options& options);

/// Says it on stderr; gives `code` back, that of bad input where nothing else is said.
int refuse(const base::Error& error, int code = 2);

/// `--patches`: writes samples of a run into a folder, one JSON object a line on stdout for each. The exit
/// code: 0, 2 (bad input, or they cannot be written), 4 (stdout cannot be written), 130 (stopped).
int sayPatches(const Options& options, const std::atomic<bool>& cancel);

/// `--calibrate`: measures the convolutions of a list and the machine's speed into a table; what it did goes
/// to stdout as one JSON object, progress to stderr. The exit code: 0, 2 (bad input), 130 (stopped; what was
/// measured is kept).
int calibrate(const Options& options, const std::atomic<bool>& cancel);

/// `--environment`: LibTorch's and oneDNN's versions as one JSON object.
int sayEnvironment();

}  // namespace highwater::engine_app
