#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/units.h"

namespace highwater::runs {

/// How far a run is.
struct Progress {
    int done = 0, of = 0;                   ///< steps, warm-up included
    std::optional<base::Millis> left = {};  ///< until the last step, from the steps done; unknown before one
    bool operator==(const Progress&) const = default;
};

/// How far the run in this folder is, from the beginning and the end of its events. Nothing if it has not
/// started.
std::optional<Progress> readProgress(const std::filesystem::path& runFolder);

/// "step 12 of 23, 2 min 5 s left", "step 0 of 23"
std::string progressText(const Progress& progress);

}  // namespace highwater::runs
