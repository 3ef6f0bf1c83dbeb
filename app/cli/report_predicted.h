#pragma once

#include <string>

#include "app/cli/target_options.h"

namespace highwater::cli {

/// A report of what is predicted, or of a sweep's result: one of the four files is given.
struct PredictedReport {
    std::string predict, plan, everywhere;  ///< an experiment
    std::string sweep;                      ///< the result of a sweep or a factorial, as JSON
    std::string budget, library, out;
    TargetOptions target;
    int given() const { return !predict.empty() + !plan.empty() + !everywhere.empty() + !sweep.empty(); }
};

/// Writes the report. Returns the exit code.
int reportPredicted(const PredictedReport& options);

}  // namespace highwater::cli
