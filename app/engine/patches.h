#pragma once

#include <atomic>

#include "app/engine/options.h"

namespace highwater::engine_app {

/// `--patches`: writes samples of a run into a folder, and one JSON line for each on stdout. Returns the exit
/// code: 0, 2 (bad input, or the samples cannot be written), 4 (stdout cannot be written), 130 (stopped).
int sayPatches(const Options& options, const std::atomic<bool>& cancel);

}  // namespace highwater::engine_app
