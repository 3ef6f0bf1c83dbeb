#pragma once

#include <string>

#include "tests/gpu/public/public_comparison.h"

namespace highwater::truth {

/// docs/public-truth.md: what was compared and how blindly, how near the predictions come, where they miss
/// and why, and every row.
std::string publicPage(const Comparison& comparison);

/// Its parts, each a section that begins with a heading of the second level.
std::string memorySection(const Comparison& comparison);
std::string timeSection(const Comparison& comparison);

}  // namespace highwater::truth
