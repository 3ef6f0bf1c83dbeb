#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/runs/owner.h"
#include "core/runs/run_store.h"

/// The files of one run's folder. Private to core/runs.
namespace highwater::runs {

/// state.json: small, written whole and atomically at every change.
struct RunState {
    int number = 0;
    std::string created;
    std::string device;
    wire::RunStatus status = wire::RunStatus::Running;
    std::string message;
    Owner owner;
    bool operator==(const RunState&) const = default;
};

base::Result<RunState> readState(const std::filesystem::path& folder);
base::Status writeState(const std::filesystem::path& folder, const RunState& state);
/// A number that changes whenever state.json is written; 0 where there is none.
std::int64_t stateStamp(const std::filesystem::path& folder);

base::Result<stack::Experiment> readExperiment(const std::filesystem::path& folder);
base::Result<wire::RunResult> readResult(const std::filesystem::path& folder);
base::Status writeResult(const std::filesystem::path& folder, const wire::RunResult& result);
/// All lines of events.jsonl that are events; a torn or damaged line is skipped.
std::vector<wire::Event> readEvents(const std::filesystem::path& folder);

/// The result of a run that never wrote one, from what it said: the finished event's, if there is one, else
/// put together from steps, layers and samples (status Failed; the split at the peak may then sum to less
/// than the peak, where the peak was seen between two samples).
wire::RunResult assembleResult(const std::vector<wire::Event>& events, const std::string& runId,
                               std::int64_t batchSize);

/// A run's row from its folder. Never fails: a damaged folder is Failed, with the reason as message.
struct FolderSummary {
    RunSummary summary;
    bool damaged = false;
};
FolderSummary summarize(const std::filesystem::path& folder);

}  // namespace highwater::runs
