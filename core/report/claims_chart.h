#pragma once

#include <vector>

#include "core/report/canvas.h"
#include "core/study/finding.h"

namespace highwater::report {

/// What was measured for a claim as bars with their 95 % intervals, a chart a quantity; a quantity of one
/// experiment alone makes none, and ratios are left out. At most 40 bars a chart.
std::vector<Chart> claimCharts(const study::Finding& finding);

}  // namespace highwater::report
