#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

/// Ending a run whose engine could not do it itself. Private to core/runs.
namespace highwater::runs {

/// How an engine ended, as far as anyone knows.
struct EngineEnd {
    int exitCode = -1;      ///< -1: nobody saw it end
    std::string errorText;  ///< the last it wrote on stderr
};

/// "the engine died: signal 9 (Killed)", "the engine ended without a result (exit code 4): what it said
/// last".
std::string describeEnd(const EngineEnd& end);

/// Where the run still says "running": writes stderr.txt (if there is none), result.json with what was
/// measured, then the state (failed; cancelled where the end was an interrupt; what a finished event says, if
/// it got that far). Where somebody who had not seen the end settled it before, only the reason is made
/// better. The caller knows that the engine is gone and holds the store's lock.
base::Status settleFolder(const std::filesystem::path& folder, const EngineEnd& end);

}  // namespace highwater::runs
