#pragma once

#include <string>

#include "core/wire/engine_process.h"

namespace highwater::cli {

struct EngineOutcome {
    int exitCode = -1;      ///< the engine's; -1 if it could not be started
    std::string errorText;  ///< why, or the end of its stderr
};

/// Starts the engine and follows it to its end: shows progress on a terminal, and prints its events on stdout
/// if `events`. The first interrupt cancels the run; a second one kills the engine (exit code 130).
EngineOutcome follow(const wire::EngineRequest& request, bool events);

}  // namespace highwater::cli
