#pragma once

#include <string>

#include "tests/gpu/public/public_comparison.h"

namespace highwater::truth {

/// docs/public-truth.md: what was compared and how blindly, how accurate the predictions are, where they miss
/// and why, and every row.
std::string publicPage(const Comparison& comparison);

/// Its parts, each a section with a second-level heading.
std::string memorySection(const Comparison& comparison);
std::string timeSection(const Comparison& comparison);

}  // namespace highwater::truth
