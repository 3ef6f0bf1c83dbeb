#pragma once

#include <string>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::runs {

/// A run compared with a baseline. Ratios are run / baseline. The time ratio's interval is a bootstrap over
/// both runs' steps.
struct Comparison {
    std::string id;
    double memoryRatio = 0;                ///< 0: not comparable
    base::Interval timeRatio;              ///< n = 0: not comparable
    bool timeDiffers = false;              ///< false: within the noise (the interval contains 1)
    std::vector<std::string> differences;  ///< settings that differ: "batch_size 2 → 4"
};

/// A ratio as a change: "−9.1 %", "+14.8 %", "±0 %".
std::string changeText(double ratio);
Comparison compare(const RunRecord& run, const RunRecord& baseline);
/// "−9.1 % memory, +14.8 % time"; "time: within the noise".
std::string describe(const Comparison& comparison);

/// What was set differently, as "name before → after": the step, the input, the optimizer, the backend, the
/// layers ("layer 3 conv kernel_size 3 → 5"), the machine. Empty where all is alike. Private to core/runs.
std::vector<std::string> differences(const RunRecord& run, const RunRecord& baseline);

}  // namespace highwater::runs
