#pragma once

#include <string>

#include "app/cli/follow.h"
#include "core/runs/run_store.h"

namespace highwater::cli {

/// How the end of a run is reported.
struct RunReport {
    bool json = false, events = false;
    std::string experiment = {};  ///< the file, for error messages about its contents
};

/// Reports the end of a run: `settled` is its row, or why its end could not be recorded. Returns the exit
/// code.
int reportRun(const runs::RunStore& store, const base::Result<runs::RunSummary>& settled,
              const RunReport& how, const EngineOutcome& engine);

}  // namespace highwater::cli
