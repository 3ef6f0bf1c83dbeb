#pragma once

#include <atomic>

#include "app/engine/options.h"

namespace highwater::engine_app {

/// `--calibrate`: measures the convolutions of a list and the machine's speed into a table. Prints a summary
/// on stdout as one JSON object, progress on stderr. Returns the exit code: 0, 2 (bad input), 130 (stopped;
/// what was measured is kept).
int calibrate(const Options& options, const std::atomic<bool>& cancel);

/// `--environment`: prints LibTorch's and oneDNN's versions as one JSON object.
int sayEnvironment();

}  // namespace highwater::engine_app
