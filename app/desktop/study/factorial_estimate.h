#pragma once

#include <QString>
#include <atomic>

#include "core/predict/predict.h"
#include "core/study/sweep.h"
#include "widgets/controls/target_field.h"
#include "widgets/study/factorial_setup.h"

namespace highwater::desktop {

/// How long a factorial takes: estimates.
struct FactorialEstimate {
    double lowMs = 0, highMs = 0;  ///< all repeats at least made, and at most; of those with an estimate
    int cannotRun = 0;             ///< combinations that are no valid experiments, or not supported
    int unknown = 0;               ///< of which no time is predicted
    bool complete = false;         ///< false: cancelled
};

/// Starting an engine, LibTorch included, and settling its run: a run of one small step was measured to take
/// 0.9 s of processor time.
inline constexpr double kStartMs = 900;

/// Predicts every combination; takes milliseconds each, so call it from a worker.
FactorialEstimate estimate(const study::Sweep& sweep, const widgets::FactorialChoice& choice,
                           const widgets::TargetChoice& target, bool cuda, const std::atomic<bool>& cancel);
/// "Takes about 3 to 5 min, an estimate. 2 combinations cannot be run."
QString estimateText(const FactorialEstimate& estimate);

}  // namespace highwater::desktop
