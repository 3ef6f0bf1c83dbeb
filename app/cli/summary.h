#pragma once

#include "core/runs/run_store.h"

namespace highwater::cli {

/// A run for people, on stdout: where it ran, peak and its split, times with intervals, layers.
void printSummary(const runs::RunRecord& record);

}  // namespace highwater::cli
