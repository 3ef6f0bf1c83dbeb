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
    int warmup = 0;                         ///< the first steps, which are not measured
    bool operator==(const Progress&) const = default;
};

/// How far the run in this folder is, from the beginning and the end of its events. Nothing if it has not
/// started.
std::optional<Progress> readProgress(const std::filesystem::path& runFolder);

/// "step 9 of 20", "warm-up 1 of 3" while those are not over
std::string stepText(const Progress& progress);
/// "step 9 of 20, 2 min 5 s left", "warm-up 1 of 3"
std::string progressText(const Progress& progress);

}  // namespace highwater::runs
