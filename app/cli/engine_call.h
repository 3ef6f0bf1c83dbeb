#pragma once

#include <string>
#include <vector>

namespace highwater::cli {

struct EngineAnswer {
    int exitCode = 0;    ///< the engine's; 4 if it could not be started or was ended by a signal, 130 if a
                         ///< second interrupt ended it
    std::string output;  ///< its stdout
};

/// Runs the engine in the foreground. It shares this program's stderr, and interrupts (see interrupt.h) are
/// forwarded to it. Errors are reported on stderr.
EngineAnswer callEngine(const std::vector<std::string>& arguments);

}  // namespace highwater::cli
