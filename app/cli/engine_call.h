#pragma once

#include <string>
#include <vector>

namespace highwater::cli {

struct EngineAnswer {
    int exitCode = 0;    ///< the engine's, or 4 where it could not be started or was ended by a signal
    std::string output;  ///< what it wrote on stdout
};

/// Runs the engine in the foreground: it shares this program's stderr, and interrupts (see interrupt.h) are
/// passed on to it. What went wrong has been said on stderr.
EngineAnswer callEngine(const std::vector<std::string>& arguments);

}  // namespace highwater::cli
