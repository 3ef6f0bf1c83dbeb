#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/result.h"
#include "core/hosts/request.h"

/// A run's folder on the host: request.json, experiment.json, what the engine writes, `lock`, `stop` and
/// end.json.
namespace highwater::host_app {

/// The folder of all runs: highwater-host/runs in $XDG_DATA_HOME, or in ~/.local/share.
std::filesystem::path runsFolder();

/// How a run ended on this host.
struct End {
    int exitCode = -1;      ///< the engine's; -1: unknown
    bool timedOut = false;  ///< it was stopped at its time limit
    bool unknown = false;   ///< it was never started, and never will be
};
/// std::nullopt while there is no end.json.
std::optional<End> readEnd(const std::filesystem::path& folder);
base::Status writeEnd(const std::filesystem::path& folder, const End& end);

/// Creates a folder with the files that `fill` writes, atomically under its name. Returns false if it existed
/// already. Errors: it cannot be written; those of `fill`.
base::Result<bool> putFolder(const std::filesystem::path& folder,
                             const std::function<base::Status(const std::filesystem::path&)>& fill);

/// Creates the run's folder, either completely or not at all. Returns false if it existed already. With an
/// array, only a task of that array runs the engine.
base::Result<bool> makeRun(const std::filesystem::path& folder, const hosts::Start& start,
                           const std::string& array = {});
/// The machine on which the run's engine was started, as Slurm or the machine itself names it; empty if none
/// was.
std::string nodeOf(const std::filesystem::path& folder);
/// The array whose task runs the engine; empty if there is none.
std::string arrayOf(const std::filesystem::path& folder);
/// Marks a run that is not here as one that will never start. Returns false if it is here.
base::Result<bool> refuseRun(const std::filesystem::path& folder);

/// The lock that the supervisor and the engine hold while they live. The descriptor is -1 if it is taken.
base::Descriptor tryLock(const std::filesystem::path& folder);

/// Removes runs that ended more than 30 days ago and were never fetched.
void removeOldRuns();

/// Starts highwater-host --supervise on the folder, in a new session (setsid), without waiting for it.
base::Status startSupervisor(const std::filesystem::path& folder);

/// --supervise: runs the engine until it ends, its time limit or `stop`; writes end.json. Does nothing if
/// another supervisor is running, or if the engine was started before: a run is measured only once.
int supervise(const std::filesystem::path& folder);
/// --task: the same for a task's run in an array's folder (queue.h). The engine ends with this process, and
/// is asked to stop by SIGTERM, which is what Slurm sends. If the task is started again after its run had
/// begun, the run is not continued: its end is written, and the client has to create a new one.
int superviseTask(const std::filesystem::path& array, const std::string& index);

/// Answers requests on stdin until a run has been handed over or the connection is closed.
int follow();

}  // namespace highwater::host_app
