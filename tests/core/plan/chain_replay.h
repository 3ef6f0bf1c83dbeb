#pragma once

#include <vector>

#include "core/plan/chain.h"

namespace highwater::plan::testing {

/// Executes a plan operation by operation: the values held follow from later reads, not from the formulas
/// that the planner uses. At most 20 units.
ChainCost replay(const Chain& chain, const std::vector<ChainPart>& parts);

/// Whether the parts cover units [first, last) without gaps, including all nested lists, and each ends with a
/// unit that is kept.
bool covers(const Chain& chain, const std::vector<ChainPart>& parts, int first, int last);

/// All plans of units [first, last).
std::vector<std::vector<ChainPart>> allPlans(const Chain& chain, int first, int last);

}  // namespace highwater::plan::testing
