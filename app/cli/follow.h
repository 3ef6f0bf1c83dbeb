#pragma once

#include <string>

#include "core/hosts/remote_engine.h"
#include "core/wire/engine_process.h"

namespace highwater::cli {

struct EngineOutcome {
    int exitCode = -1;      ///< the engine's; -1 if it could not be started
    std::string errorText;  ///< why, or the end of its stderr
    bool left = false;      ///< it continues on a host that cannot be reached
};

/// Starts the engine and follows it to its end: shows progress on a terminal, and prints its events on stdout
/// if `events`. The first interrupt cancels the run; a second one kills the engine (exit code 130).
EngineOutcome follow(const wire::EngineRequest& request, bool events);

/// The same of what takes the engine's place here; an error if it could not be started.
EngineOutcome follow(base::Result<wire::EngineProcess> started, bool events);

/// The same for an engine on a host. A second interrupt while the host cannot be reached leaves the run
/// there.
EngineOutcome follow(hosts::RemoteEngine& engine, bool events);

}  // namespace highwater::cli
