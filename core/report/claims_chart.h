#pragma once

#include <vector>

#include "core/report/canvas.h"
#include "core/study/finding.h"

namespace highwater::report {

/// The measured values of a claim as bars with their 95 % intervals, one chart for each quantity. A quantity
/// of only one experiment makes no chart, and ratios are left out. At most 40 bars per chart.
std::vector<Chart> claimCharts(const study::Finding& finding);

}  // namespace highwater::report
