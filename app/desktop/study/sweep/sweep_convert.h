#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "app/desktop/study/sweep/sweep_forecast.h"
#include "app/desktop/study/sweep/sweep_setup.h"
#include "app/desktop/study/sweep/sweep_values.h"
#include "core/runs/run_store.h"
#include "core/stack/shapes.h"
#include "core/study/factorial.h"

/// Converts sweeps and their results to the values that the window shows, and back.
namespace highwater::desktop {

/// A sweep as it is known at a moment. All lists have an entry for each cell, or are empty.
struct SweepState {
    study::Sweep sweep;
    std::vector<study::Cell> cells;
    std::vector<study::Measured> measured;  ///< an empty name: not run
    std::vector<CellForecast> forecasts;
    std::set<std::size_t> running;
};

/// The loss of the last step of a run, by its id.
using LossOf = std::function<std::optional<double>(const std::string& runId)>;

SweepRows sweepRows(const SweepState& state, const LossOf& loss);
/// The same of one cell, to put it in the place of another.
SweepCell sweepCell(const SweepState& state, std::size_t cell, const LossOf& loss);

/// What a sweep of this experiment can differ in; values are made from what it has now.
std::vector<SweepOffer> sweepOffers(const stack::Experiment& experiment, const stack::StackInfo& info,
                                    bool cuda);

/// A sweep as it is written, over `base`. An Error is one line; `wrong` is then the axis that it is about,
/// or -1.
base::Result<study::Sweep> sweepOf(const study::Sweep& base, const SweepChoice& choice, int& wrong);
/// How a sweep is written.
SweepChoice choiceOf(const study::Sweep& sweep, int steps);

}  // namespace highwater::desktop
