#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/runs/run_store.h"
#include "core/study/trial.h"

namespace highwater::study {

/// How subjects are run on this machine: one engine process for each run, each recorded in the store.
struct LocalRun {
    std::string device = "cpu";
    int steps = 12;  ///< of each run, including warm-up
    bool trace = false;
    runs::Study study = {};        ///< that the runs are recorded as parts of
    std::filesystem::path engine;  ///< empty: "highwater-engine" in this program's folder
    /// Returns the descriptors of the scans that an experiment needs (EngineRequest::volumeFds). They must
    /// stay open while the runner exists. Empty: an experiment with scans is an error.
    std::function<base::Result<std::vector<int>>(const stack::Experiment&)> volumes;
    /// The time an engine has to stop after a request, before it is killed.
    std::chrono::milliseconds grace{10000};
    std::function<void(const wire::Event&)> event;  ///< called for each event of the engine; may be empty
};

/// Makes a runner. A quarter of the steps is passed to the engine as warm-up, which its own medians leave
/// out. `cancel` asks the engine to stop; the outcome is then a cancelled run. `store` and `cancel` must
/// outlive the runner.
Runner localRunner(runs::RunStore& store, LocalRun how, const std::atomic<bool>& cancel);

}  // namespace highwater::study
