#pragma once

#include <vector>

#include "app/desktop/study/study_worker.h"
#include "core/study/sweep.h"

namespace highwater::desktop {

/// Called on the worker's thread whenever a run of a cell starts (`ended` is nullptr) or has ended.
using CellWatch = std::function<void(std::size_t cell, const base::Result<study::RunOutcome>* ended)>;

/// Called on the worker's thread. Runs the cells that can be run, in turns, and reports the progress. Returns
/// one entry for each cell; entries of cells that were not run have no name. Returns an Error if nothing
/// could be measured.
base::Result<std::vector<study::Measured>> measureCells(StudyWorker::Job& job,
                                                        const std::vector<study::Cell>& cells,
                                                        const StudyRun& how,
                                                        const study::TrialOptions& options,
                                                        const CellWatch& watch = {});

}  // namespace highwater::desktop
