#pragma once

#include <vector>

#include "core/plan/chain.h"

namespace highwater::plan::testing {

/// Runs a plan operation by operation: which values are held follows from who reads them later, not from the
/// formulas that the planner uses. At most 20 units.
ChainCost replay(const Chain& chain, const std::vector<ChainPart>& parts);

/// Whether the parts cover units [first, last) without gaps, all lists inside them included, and each ends
/// with a unit that is kept.
bool covers(const Chain& chain, const std::vector<ChainPart>& parts, int first, int last);

/// Every plan of units [first, last) that there is.
std::vector<std::vector<ChainPart>> allPlans(const Chain& chain, int first, int last);

}  // namespace highwater::plan::testing
