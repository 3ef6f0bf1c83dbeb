#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

/// Completes the folder of a run whose engine ended without completing it. Private to core/runs.
namespace highwater::runs {

/// How an engine ended, as far as known.
struct EngineEnd {
    int exitCode = -1;                    ///< -1: unknown
    std::string errorText;                ///< the end of its stderr
    std::string_view who = "the engine";  ///< or what took its place
};

/// A message such as "the engine died: signal 9 (Killed)" or "the engine ended without a result (exit code
/// 4): LAST LINE OF STDERR".
std::string describeEnd(const EngineEnd& end);

/// Settles a run whose state is still "running": writes stderr.txt (if there is none), result.json with the
/// measurements, then the state (that of a finished event if there is one; cancelled if the engine was
/// interrupted; otherwise failed). If another process has settled it without knowing how the engine ended,
/// only the reason is replaced. The caller knows that the engine is gone and holds the store's lock.
base::Status settleFolder(const std::filesystem::path& folder, EngineEnd end);

}  // namespace highwater::runs
