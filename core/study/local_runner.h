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

/// How subjects are run on this machine, one engine process a run, each recorded in the store.
struct LocalRun {
    std::string device = "cpu";
    int steps = 12;  ///< of each run, the warm-up that is found included
    bool trace = false;
    std::filesystem::path engine;  ///< empty: "highwater-engine" beside this program
    /// Descriptors of the scans that an experiment needs (EngineRequest::volumeFds), which must stay open
    /// while the runner lives; empty: experiments with scans are an error.
    std::function<base::Result<std::vector<int>>(const stack::Experiment&)> volumes;
    /// How long an engine that was asked to stop may take, before it is ended by force.
    std::chrono::milliseconds grace{10000};
    std::function<void(const wire::Event&)> event;  ///< what the engine says, as it runs; may be empty
};

/// A quarter of the steps is what the engine calls warm-up: its own medians leave them out. `cancel`: asks
/// the engine to stop, and the outcome is a cancelled run. Both must outlive the runner.
Runner localRunner(runs::RunStore& store, LocalRun how, const std::atomic<bool>& cancel);

}  // namespace highwater::study
