#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/process_identity.h"
#include "core/base/result.h"
#include "core/runs/run_store.h"

/// The files of one run's folder. Private to core/runs.
namespace highwater::runs {

/// A file that reserves disk space during a run. If the disk is full, it is deleted, so that the end of the
/// run can be recorded.
inline constexpr std::string_view kSpare = ".spare";

inline constexpr std::string_view kStarter = "starter", kEngine = "engine";

/// The process that owns a run.
struct Owner {
    std::string role;  ///< kStarter until the engine becomes the owner, then kEngine
    base::ProcessIdentity process;
    bool operator==(const Owner&) const = default;
};

/// state.json: small, rewritten atomically at every change.
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
/// A number that changes whenever state.json or labels.json is written; 0 if there is no state.json.
std::int64_t folderStamp(const std::filesystem::path& folder);

/// For a run of a script: an experiment whose name is the command, and nothing else.
base::Result<stack::Experiment> readExperiment(const std::filesystem::path& folder);
base::Result<wire::RunResult> readResult(const std::filesystem::path& folder);
base::Status writeResult(const std::filesystem::path& folder, const wire::RunResult& result);
/// The events in events.jsonl. A torn or damaged line is skipped; reading stops at the first line that is
/// longer than an event can be, after 1,000 damaged ones, or at wire::kMostEvents. If they would take more
/// memory than such a file may (base::MemoryBudget), the last one is a Warning with the number of events
/// read.
std::vector<wire::Event> readEvents(const std::filesystem::path& folder);
/// How the run was started, from its first events; std::nullopt if it has not started.
std::optional<wire::Started> readStarted(const std::filesystem::path& folder);

/// The result of a run that wrote none, from its events: that of the finished event if there is one,
/// otherwise assembled from steps, layers and samples, with the status Failed. If the peak was between two
/// samples, only its total is known: the difference to the highest sample counts as temporaries.
wire::RunResult assembleResult(const std::vector<wire::Event>& events, const std::string& runId,
                               std::int64_t batchSize);

/// A run's row, read from its folder. This never fails: for a damaged folder the row is Failed, with the
/// reason as message.
struct FolderSummary {
    RunSummary summary;
    bool damaged = false;
};
FolderSummary summarize(const std::filesystem::path& folder);

}  // namespace highwater::runs
