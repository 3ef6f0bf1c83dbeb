#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/units.h"

namespace highwater::runs {

/// The progress of a run.
struct Progress {
    int done = 0, of = 0;                   ///< steps, including warm-up
    std::optional<base::Millis> left = {};  ///< time until the last step, estimated from the steps done;
                                            ///< std::nullopt before the first
    int warmup = 0;                         ///< the first steps, which are not measured
    bool operator==(const Progress&) const = default;
};

/// The progress of the run in this folder, read from the beginning and the end of its events. std::nullopt if
/// it has not started.
std::optional<Progress> readProgress(const std::filesystem::path& runFolder);

/// "step 9 of 20", or "warm-up 1 of 3" during the warm-up
std::string stepText(const Progress& progress);
/// "step 9 of 20, 2 min 5 s left", "warm-up 1 of 3"
std::string progressText(const Progress& progress);

}  // namespace highwater::runs
