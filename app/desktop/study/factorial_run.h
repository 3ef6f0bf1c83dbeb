#pragma once

#include <vector>

#include "app/desktop/study/study_worker.h"
#include "core/study/sweep.h"

namespace highwater::desktop {

/// On the worker's thread: runs the cells that can be run, in turns, and says how far it is. One entry a
/// cell; those that were not run have no name. An Error: nothing could be measured.
base::Result<std::vector<study::Measured>> measureCells(StudyWorker::Job& job,
                                                        const std::vector<study::Cell>& cells,
                                                        const study::LocalRun& how,
                                                        const study::TrialOptions& options);

}  // namespace highwater::desktop
