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

/// The folder of all runs: highwater-host/runs in $XDG_DATA_HOME, else in ~/.local/share.
std::filesystem::path runsFolder();

/// How a run ended here.
struct End {
    int exitCode = -1;      ///< the engine's; -1: unknown
    bool timedOut = false;  ///< it was stopped at its time limit
    bool unknown = false;   ///< it was never started, and never will be
};
/// Nothing while there is no end.json.
std::optional<End> readEnd(const std::filesystem::path& folder);
base::Status writeEnd(const std::filesystem::path& folder, const End& end);

/// Puts a folder with the files that `fill` writes in place under its name at once. False: there was one
/// already. Errors: it cannot be written; those of `fill`.
base::Result<bool> putFolder(const std::filesystem::path& folder,
                             const std::function<base::Status(const std::filesystem::path&)>& fill);

/// Makes the folder, complete under its name or not at all. False: there was one already. With an array, a
/// task of it runs the engine, and nobody else.
base::Result<bool> makeRun(const std::filesystem::path& folder, const hosts::Start& start,
                           const std::string& array = {});
/// The machine on which its engine was started, as Slurm calls it or as it calls itself; empty: none was.
std::string nodeOf(const std::filesystem::path& folder);
/// The array whose task runs the engine; empty: none.
std::string arrayOf(const std::filesystem::path& folder);
/// Marks a run that is not here as one that never will be. False: it is here.
base::Result<bool> refuseRun(const std::filesystem::path& folder);

/// The lock that the supervisor and the engine hold as long as they live. -1: it is held.
base::Descriptor tryLock(const std::filesystem::path& folder);

/// Removes runs that ended more than 30 days ago and were never fetched.
void removeOldRuns();

/// Starts highwater-host --supervise on the folder, in a session of its own, and does not wait for it.
base::Status startSupervisor(const std::filesystem::path& folder);

/// --supervise: runs the engine to its end, its time limit or `stop`; writes end.json. Does nothing where
/// another supervisor is at work, or the engine has begun before: a run is measured once.
int supervise(const std::filesystem::path& folder);
/// --task: the same of a task's run in an array's folder (queue.h). The engine ends with this process, and is
/// asked to stop by SIGTERM, which is what Slurm sends. A run whose task was started again after it had begun
/// is not continued: its end is written, and whoever wanted it makes a new one.
int superviseTask(const std::filesystem::path& array, const std::string& index);

/// Answers one request on stdin until its run has been handed over or the other end is gone.
int follow();

}  // namespace highwater::host_app
