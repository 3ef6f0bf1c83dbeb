#pragma once

#include "core/report/report.h"
#include "core/runs/run_store.h"

namespace highwater::report {

/// A run as an engine would record it: a small 3D network with a checkpointed block on patches of a scan, 3
/// warm-up steps, the rest measured. The figures come from formulas and are consistent.
runs::RunRecord sampleRun(int steps = 30, int number = 12);
/// The same, but it ran out of memory in step 2 in the backward pass.
runs::RunRecord failedRun(int number = 13);

/// A script on a pretended GPU: steps have no times, their timelines have host times.
runs::RunRecord pretendedRun(int steps = 3, int number = 14);

inline ReportInput reportOf(std::vector<runs::RunRecord> runs) {
    ReportInput input;
    input.runs = std::move(runs);
    return input;
}

}  // namespace highwater::report
