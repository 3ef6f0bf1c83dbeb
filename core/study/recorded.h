#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/runs/run_store.h"
#include "core/study/trial.h"
#include "core/wire/engine_process.h"

/// Runs as parts of a study, on whichever machine they are made.
namespace highwater::study {

/// What is alike for all runs of a study.
struct HowToRun {
    std::string device = "cpu";
    int steps = 12;          ///< of each run, including warm-up
    runs::Study study = {};  ///< that the runs are recorded as parts of
    /// Returns the descriptors of the scans that an experiment needs (EngineRequest::volumeFds). They must
    /// stay open while the runner exists. Empty: an experiment with scans is an error.
    std::function<base::Result<std::vector<int>>(const stack::Experiment&)> volumes = {};
};

/// The request for a run of the subject, without the run's folder and the program. A quarter of the steps is
/// passed to the engine as warm-up, which its own medians leave out. Errors: fewer than one step; scans that
/// cannot be had.
base::Result<wire::EngineRequest> engineRequest(const Subject& subject, const HowToRun& how);

/// The study's part that this run is.
runs::Study partOf(runs::Study study, const Subject& subject, int repeat);

/// The outcome of a run as it is recorded.
base::Result<RunOutcome> outcomeOf(const runs::RunStore& store, const std::string& id);

/// Whether a run that ended so needs no other for its cell and repeat.
bool counts(wire::RunStatus status);

/// What is in the store of a sweep: of each cell and repeat the first run that needs no other, because it is
/// done or ran out of memory.
class Recorded {
public:
    Recorded() = default;
    static base::Result<Recorded> read(const runs::RunStore& store, const std::string& study);
    /// The run's id; nothing if it is still to be measured.
    std::optional<std::string> find(int cell, int repeat) const;
    std::size_t size() const { return runs_.size(); }
    /// Those of the sweep whose state is "running".
    const std::vector<runs::RunSummary>& open() const { return open_; }

private:
    std::map<std::pair<int, int>, std::string> runs_;
    std::vector<runs::RunSummary> open_;
};

/// A runner that gives what is recorded, and runs the rest with `runner`. The store must outlive it.
Runner resuming(const runs::RunStore& store, Recorded recorded, Runner runner);

/// Waits for the runs of a sweep that an engine on this machine still measures although the program that
/// started it has ended. Errors: another program is at work on the sweep; "cancelled".
base::Status waitForOpenRuns(const runs::RunStore& store, const std::string& study,
                             const std::atomic<bool>& cancel);

}  // namespace highwater::study
