#pragma once

#include <string>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::runs {

/// A run compared with a baseline. Ratios are run / baseline. The time ratio's interval is a bootstrap over
/// both runs' steps.
struct Comparison {
    std::string id, baselineId;
    double memoryRatio = 0;                ///< 0: not comparable
    base::Interval timeRatio;              ///< n = 0: not comparable
    bool timeDiffers = false;              ///< false: within the noise (the interval contains 1)
    std::vector<std::string> differences;  ///< settings that differ: "batch_size 2 → 4"
};

Comparison compare(const RunRecord& run, const RunRecord& baseline);
/// "−9.1 % memory, +14.8 % time"; "time: within the noise".
std::string describe(const Comparison& comparison);

}  // namespace highwater::runs
