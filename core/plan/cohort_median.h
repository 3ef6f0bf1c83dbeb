#pragma once

#include "core/plan/propose_patch.h"

/// The median case of a cohort. Private to core/plan.
namespace highwater::plan {

/// Axes i, j, k.
struct Median {
    std::array<double, 3> spacing{1, 1, 1};  ///< mm, per axis: the median of the cases' known spacings
    std::array<std::int64_t, 3> size{};      ///< median of the cases' sizes at that spacing, in voxels
    double voxels = 0;                       ///< number of voxels of all cases together, at that spacing
};
Median medianOf(const std::vector<CaseShape>& cases);

}  // namespace highwater::plan
