#pragma once

#include <string>
#include <vector>

#include "tests/gpu/comparison.h"

namespace highwater::reference {

/// docs/gpu-accuracy.md: what was measured, the table of errors and the rate of under-estimates, a file a
/// section; first of all whether a GPU was among them. Of a GPU's file, a comparison with what cuDNN answers
/// may stand before the one with what was measured.
std::string accuracyPage(const std::vector<Comparison>& comparisons);

}  // namespace highwater::reference
