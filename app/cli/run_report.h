#pragma once

#include <string>

#include "core/runs/run_store.h"

namespace highwater::cli {

/// How the end of a run is told.
struct RunReport {
    bool json = false, events = false;
    std::string experiment = {};  ///< the file, for a message about what is wrong with it
};

/// Tells the end of a run that was settled; `engineExit` is its engine's. Returns the exit code.
int reportRun(const runs::RunStore& store, const runs::RunSummary& row, const RunReport& how, int engineExit);

}  // namespace highwater::cli
