#include "core/plan/propose_search.h"

#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"
#include "core/layers/limits.h"

namespace highwater::plan {
namespace {

bool known(double spacing) {
    return std::isfinite(spacing) && spacing > 0;
}

}  // namespace

Median medianOf(const std::vector<CaseShape>& cases) {
    Median median;
    std::vector<std::array<std::int64_t, 3>> sizes;
    for (const CaseShape& one : cases) {
        sizes.push_back(one.size);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<double> spacings, lengths;
        for (const CaseShape& one : cases) {
            if (known(one.spacing[axis])) {
                spacings.push_back(one.spacing[axis]);
            }
        }
        median.spacing[axis] = spacings.empty() ? 1 : base::median(spacings);
        for (std::size_t c = 0; c < cases.size(); ++c) {
            const double scale =
                known(cases[c].spacing[axis]) ? cases[c].spacing[axis] / median.spacing[axis] : 1;
            const double length = std::round(static_cast<double>(cases[c].size[axis]) * scale);
            sizes[c][axis] =
                static_cast<std::int64_t>(std::clamp(length, 1.0, static_cast<double>(stack::kMostSize)));
            lengths.push_back(static_cast<double>(sizes[c][axis]));
        }
        median.size[axis] = std::llround(base::median(lengths));
    }
    for (const auto& size : sizes) {
        median.voxels +=
            static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]);
    }
    return median;
}

}  // namespace highwater::plan
