#pragma once

#include "core/runs/run_store.h"

namespace highwater::cli {

/// Prints a run for people on stdout: where it ran, the peak and its split, times with intervals, layers.
void printSummary(const runs::RunRecord& record);

}  // namespace highwater::cli
