#pragma once

#include <QString>
#include <atomic>

#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/study/factorial/factorial_setup.h"
#include "core/predict/predict.h"
#include "core/study/sweep.h"

namespace highwater::desktop {

/// An estimate of the time that a factorial takes.
struct FactorialEstimate {
    /// For the minimum and for the maximum number of repeats; only combinations with an estimate count.
    double lowMs = 0, highMs = 0;
    int cannotRun = 0;      ///< combinations that are not valid experiments, or not supported
    QString whyNot;         ///< why, for the first of them
    int unknown = 0;        ///< combinations for which no time is predicted
    bool complete = false;  ///< false if the estimate was cancelled
};

/// The time to start an engine, including LibTorch, and to finish its run: a run of one small step was
/// measured to take 0.9 s of processor time.
inline constexpr double kStartMs = 900;

/// The prediction for a combination; 0 where unknown.
struct CellForecast {
    base::Bytes peak = 0;  ///< of the tensor memory
    double stepMs = 0;
};
CellForecast forecastOf(const stack::Experiment& experiment, const TargetChoice& target);

/// Predicts every combination. This takes milliseconds for each, so call it on a worker thread.
FactorialEstimate estimate(const study::Sweep& sweep, const FactorialChoice& choice,
                           const TargetChoice& target, bool cuda, const std::atomic<bool>& cancel);
/// The same for cells that are already predicted, each run for this many steps.
FactorialEstimate estimate(const std::vector<study::Cell>& cells, const std::vector<CellForecast>& forecasts,
                           const study::TrialOptions& options, int steps);
/// "Estimated time: about 3 to 5 min. 2 combinations cannot be run."
QString estimateText(const FactorialEstimate& estimate);

}  // namespace highwater::desktop
