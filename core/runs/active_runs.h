#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/process_identity.h"
#include "core/base/result.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_store.h"

/// Runs that are going on. Private to core/runs.
namespace highwater::runs {

/// Whether the engine of a run whose state is "running" is alive. Until the engine has made the run its own:
/// or the process that starts or follows it, which will settle it.
base::Life lifeOf(const std::filesystem::path& folder, const RunState& state);

/// How the run is going on; nothing if no process of this machine, and no host, is at work on it.
std::optional<ActiveRun> activeRun(const std::filesystem::path& folder);

/// See RunStore::takeOver(). The caller holds the store's lock.
base::Result<std::optional<TakenRun>> takeOverRun(const std::filesystem::path& folder);

}  // namespace highwater::runs
