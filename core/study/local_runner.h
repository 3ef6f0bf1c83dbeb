#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>

#include "core/runs/run_store.h"
#include "core/study/recorded.h"

namespace highwater::study {

/// How subjects are run on this machine: one engine process for each run, each recorded in the store.
struct LocalRun : HowToRun {
    bool trace = false;
    std::filesystem::path engine = {};  ///< empty: "highwater-engine" in this program's folder
    /// Starts something else that takes the engine's place (core/python); empty: the engine is started.
    std::function<base::Result<wire::EngineProcess>(const stack::Experiment&, const wire::EngineRequest&)>
        start = {};
    /// The time an engine has to stop after a request, before it is killed.
    std::chrono::milliseconds grace{10000};
    std::function<void(const wire::Event&)> event =
        {};  ///< called for each event of the engine; may be empty
};

/// Makes a runner. `cancel` asks the engine to stop; the outcome is then a cancelled run. `store` and
/// `cancel` must outlive the runner.
Runner localRunner(runs::RunStore& store, LocalRun how, const std::atomic<bool>& cancel);

}  // namespace highwater::study
