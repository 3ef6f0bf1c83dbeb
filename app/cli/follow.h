#pragma once

#include <string>

#include "core/wire/engine_process.h"

namespace highwater::cli {

struct EngineOutcome {
    int exitCode = -1;      ///< -1: it could not be started
    std::string errorText;  ///< why, or the last it wrote on stderr
};

/// Starts the engine and follows it to its end: progress on a terminal, its events on stdout if `events`. The
/// first interrupt cancels it, a second one kills it (then 130, as it was interrupted).
EngineOutcome follow(const wire::EngineRequest& request, bool events);

}  // namespace highwater::cli
