#pragma once

#include <string>
#include <vector>

#include "tests/gpu/comparison.h"

namespace highwater::reference {

/// docs/gpu-accuracy.md: what was measured, the table of errors and the rate of underestimates, with one
/// section per file; first, whether any file is from a GPU. For a GPU's file, a comparison with cuDNN's
/// answers may precede the one with the measurements.
std::string accuracyPage(const std::vector<Comparison>& comparisons);

}  // namespace highwater::reference
