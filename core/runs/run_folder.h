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

/// Room that a run which is on keeps on the disk. Where that is full, it is let go, and there is room for how
/// the run ended.
inline constexpr std::string_view kSpare = ".spare";

inline constexpr std::string_view kStarter = "starter", kEngine = "engine";

/// The process that a run belongs to.
struct Owner {
    std::string role;  ///< kStarter until the engine takes over, then kEngine
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

/// Of a run of a script: an experiment that has only its command, as the name.
base::Result<stack::Experiment> readExperiment(const std::filesystem::path& folder);
base::Result<wire::RunResult> readResult(const std::filesystem::path& folder);
base::Status writeResult(const std::filesystem::path& folder, const wire::RunResult& result);
/// The events in events.jsonl; a torn or damaged line is skipped, and nothing is read from the first one on
/// that is longer than an event can be, after 1,000 damaged ones, or beyond wire::kMostEvents. Where they
/// would take more memory than such a file may (base::MemoryBudget), the last one is a Warning that says how
/// many were read.
std::vector<wire::Event> readEvents(const std::filesystem::path& folder);
/// How the run was started, from the first events; nothing if it has not started.
std::optional<wire::Started> readStarted(const std::filesystem::path& folder);

/// The result of a run that wrote none, from its events: that of the finished event if there is one;
/// otherwise assembled from steps, layers and samples, with the status Failed. If the peak was between two
/// samples, only its total is known: the difference to the highest sample counts as temporaries.
wire::RunResult assembleResult(const std::vector<wire::Event>& events, const std::string& runId,
                               std::int64_t batchSize);

/// A run's row, read from its folder. This never fails: a damaged folder gives a Failed row with the reason
/// as message.
struct FolderSummary {
    RunSummary summary;
    bool damaged = false;
};
FolderSummary summarize(const std::filesystem::path& folder);

}  // namespace highwater::runs
