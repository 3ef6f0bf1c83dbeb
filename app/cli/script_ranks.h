#pragma once

#include <optional>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/units.h"
#include "core/predict/tables/profile.h"
#include "core/script/outcome.h"
#include "core/wire/script_source.h"

namespace highwater::cli {

/// `script --ranks N`: a script that trains with several processes.
struct RanksRequest {
    wire::ScriptSource source;
    predict::DeviceProfile profile;
    int ranks = 2;
    std::string store;
    double minutes = 30;
    bool json = false, events = false;
    std::optional<base::Bytes> budget = {};  ///< of each GPU
};

/// Runs the ranks, records each as a run, all of one study, and reports them. Returns the exit code: that of
/// the rank that failed first.
int pretendRanks(const RanksRequest& request);

/// Duplicates one of this program's own streams for a script to write to.
base::Descriptor copyOf(int stream);

/// The exit code of `script` for a run that ended with `scriptExit`.
int exitOf(const wire::RunResult& result, const script::ScriptOutcome* outcome,
           std::optional<base::Bytes> budget, int scriptExit);

/// Reads a script's allocations. std::nullopt if it never used the GPU, or, with a warning, if they cannot be
/// read.
std::optional<script::ScriptOutcome> outcomeOf(const std::filesystem::path& folder,
                                               const wire::ScriptSource& source);

}  // namespace highwater::cli
