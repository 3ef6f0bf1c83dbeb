#pragma once

#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/prediction/plan/plan_values.h"
#include "app/desktop/study/study_worker.h"
#include "core/plan/make_fit.h"
#include "core/study/statistics.h"

/// Checks whether a plan does what was predicted: the plan and the unchanged experiment are run on this
/// machine, in turns.
namespace highwater::desktop {

/// What planning needs from the rest of the program in order to run anything.
struct PlanAround {
    StudyWorker* worker = nullptr;  ///< null: nothing can be run
    /// The device of a run that corresponds to the target ("cpu", "cuda:0"), or why there is none.
    std::function<base::Result<std::string>(const TargetChoice&)> device;
    std::function<QString()> blocked;  ///< why nothing can be started now; empty if it can
    std::function<std::vector<volume::Volume>()> volumes;
    std::function<plan::Budget()> budget;  ///< from the control bar
};

struct Confirmation {
    plan::Plan asItIs, planned;  ///< as predicted
    study::Measured measuredAsItIs, measuredPlanned;
};

/// Called on the study worker's thread: runs both in turns and reports the progress. Returns an error if one
/// of them does not end as it should.
base::Status confirm(StudyWorker::Job& job, const StudyRun& how, Confirmation& confirmation);

/// The table of predictions and measurements; `gpu`: reserved memory counts.
std::vector<ConfirmedRow> confirmedRows(const Confirmation& confirmation, bool gpu);
/// "3 runs of 12 steps each, in turns".
QString confirmedNote(const Confirmation& confirmation);

inline constexpr int kConfirmSteps = 4;  ///< of each run, warm-up included

}  // namespace highwater::desktop
