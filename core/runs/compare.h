#pragma once

#include <string>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::runs {

/// A run compared with a baseline. Ratios are run / baseline.
struct Comparison {
    std::string id;
    double memoryRatio = 0;                ///< 0: not comparable, see hasPeakOfAStep
    base::Interval timeRatio;              ///< n = 0: not comparable
    bool timeDiffers = false;              ///< false: within measurement noise
    std::vector<std::string> differences;  ///< settings that differ: "batch_size 2 → 4"
};

/// With fewer measured steps a median has no 95 % interval, and time differences are not reported.
inline constexpr int kFewestSteps = 3;

/// A ratio as a change: "−9.1 %", "+14.8 %", "±0 %".
std::string changeText(double ratio);
/// Whether a run's peak is that of a complete step: false if the run ran out of memory, failed, or was
/// stopped before a step was measured. Such a peak does not show what a step would need.
bool hasPeakOfAStep(wire::RunStatus status, const base::Interval& stepMs);
/// The ratio of two median times. Its interval follows from the interval of each: their distances to the
/// medians, as logarithms, are combined as the sides of a right triangle (MOVER; Donner and Zou 2012, Stat.
/// Methods Med. Res. 21). With fewer than kFewestSteps on either side it is the whole range of ratios. n is
/// the smaller number of steps; 0 if either has none.
base::Interval timeRatio(const base::Interval& run, const base::Interval& baseline);
/// Whether the times differ by more than the noise: at least kFewestSteps on either side, and 1 is not in the
/// interval.
bool timeDiffers(const base::Interval& ratio);
Comparison compare(const RunRecord& run, const RunRecord& baseline);
/// "−9.1 % memory, +14.8 % time"; "time: within the noise"; "time: too few steps to tell".
std::string describe(const Comparison& comparison);

/// The settings that differ, as "name before → after": the step, the input, the optimizer, the backend, the
/// layers ("layer 3 conv kernel_size 3 → 5"), the machine. Empty if nothing differs. Private to core/runs.
std::vector<std::string> differences(const RunRecord& run, const RunRecord& baseline);

}  // namespace highwater::runs
