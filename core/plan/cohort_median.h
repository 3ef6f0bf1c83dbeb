#pragma once

#include "core/plan/propose_patch.h"

/// Private to core/plan.
namespace highwater::plan {

/// The median case; along i, j, k.
struct Median {
    std::array<double, 3> spacing{1, 1, 1};  ///< mm, along each axis that of all cases where it is known
    std::array<std::int64_t, 3> size{};      ///< of all cases' sizes at that spacing
    double voxels = 0;                       ///< of all cases together, at that spacing
};
Median medianOf(const std::vector<CaseShape>& cases);

}  // namespace highwater::plan
