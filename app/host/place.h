#pragma once

#include <filesystem>
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

/// Makes the folder, complete under its name or not at all. False: there was one already.
base::Result<bool> makeRun(const std::filesystem::path& folder, const hosts::Start& start);
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

/// Answers one request on stdin until its run has been handed over or the other end is gone.
int follow();

}  // namespace highwater::host_app
