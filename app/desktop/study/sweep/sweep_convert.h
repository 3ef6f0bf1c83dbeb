#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "app/desktop/study/sweep/sweep_forecast.h"
#include "app/desktop/study/sweep/sweep_setup.h"
#include "app/desktop/study/sweep/sweep_values.h"
#include "core/runs/run_store.h"
#include "core/study/factorial.h"

/// Converts sweeps and their results to the values that the window shows, and back.
namespace highwater::desktop {

/// The current state of a sweep. Each list has an entry for each cell, or is empty.
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
/// The same for one cell, to replace another.
SweepCell sweepCell(const SweepState& state, std::size_t cell, const LossOf& loss);

/// The axes that a sweep of this experiment can have, with values to begin with: the usual ones, the levers,
/// then every field.
std::vector<SweepOffer> sweepOffers(const stack::Experiment& experiment, bool cuda, bool withLevers = true);
/// Why a sweep is not valid, in one line; `wrong` is then the axis that it is about, or -1. Empty if it is.
QString sweepProblem(const study::Sweep& sweep, int& wrong);

/// The sweep as edited, over `base`. An Error is one line; `wrong` is then the axis that it is about, or -1.
base::Result<study::Sweep> sweepOf(const study::Sweep& base, const SweepChoice& choice, int& wrong);
/// The sweep in editable form.
SweepChoice choiceOf(const study::Sweep& sweep, int steps);

}  // namespace highwater::desktop
