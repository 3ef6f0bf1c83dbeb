#pragma once

#include <filesystem>
#include <optional>

#include "core/base/process_identity.h"
#include "core/base/result.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_store.h"

/// Runs in progress. Private to core/runs.
namespace highwater::runs {

/// Whether the engine of a run whose state is "running" is alive. Until the engine has become the run's
/// owner, also whether the process that starts or follows it is alive, which will settle the run.
base::Life lifeOf(const std::filesystem::path& folder, const RunState& state);

/// The state of a run in progress; std::nullopt if no process on this machine, and no host, is running it.
std::optional<ActiveRun> activeRun(const std::filesystem::path& folder);

/// Like RunStore::takeOver(). The caller must hold the store's lock.
base::Result<std::optional<TakenRun>> takeOverRun(const std::filesystem::path& folder);

}  // namespace highwater::runs
