#include "core/cases/case_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/stack/shapes.h"
#include "core/stack/windows.h"

namespace highwater::cases {
namespace {

constexpr double kAnisotropic = 3;  // nnunetv2/configuration.py, ANISO_THRESHOLD
constexpr double kMostVoxels = 1099511627776.0;

double largest(const Spacing& spacing) {
    return *std::max_element(spacing.begin(), spacing.end());
}

bool anisotropic(const Spacing& spacing) {
    return largest(spacing) / *std::min_element(spacing.begin(), spacing.end()) > kAnisotropic;
}

/// The coarsest axis; -1 if several are.
int coarsestAxis(const Spacing& spacing) {
    const double most = largest(spacing);
    const auto count = std::count(spacing.begin(), spacing.end(), most);
    return count == 1 ? static_cast<int>(std::max_element(spacing.begin(), spacing.end()) - spacing.begin())
                      : -1;
}

Resampling resampling(const stack::NnunetResampling& how, const Spacing& from, const Spacing& to) {
    Resampling made{how.order, how.orderZ, -1};
    if (how.separateZ) {
        made.coarseAxis = *how.separateZ ? coarsestAxis(from) : -1;
    } else if (anisotropic(from)) {
        made.coarseAxis = coarsestAxis(from);
    } else if (anisotropic(to)) {
        made.coarseAxis = coarsestAxis(to);
    }
    return made;
}

/// int(round(i / j * k)): a half is rounded to the even number.
std::int64_t resampledTo(std::int64_t size, double from, double to) {
    const double exact = from / to * static_cast<double>(size);
    return static_cast<std::int64_t>(std::nearbyint(std::min(exact, kMostVoxels)));
}

}  // namespace

std::int64_t voxels(const Size& size) {
    constexpr std::int64_t kMost = std::int64_t{1} << 61;
    std::int64_t product = 1;
    for (const std::int64_t each : size) {
        product = each > 0 && product > kMost / each ? kMost : product * each;
    }
    return product;
}

base::Result<CaseSize> caseSize(const stack::NnunetInference& plan, const volume::Geometry& geometry,
                                double step) {
    CaseSize made;
    const stack::Sizes patch = stack::patchOf(plan.network.experiment);
    const std::size_t flat = 3 - patch.size();  // 1 for 2d: the spacing between slices stays
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto its = static_cast<std::size_t>(2 - plan.transpose[axis]);  // geometry: i, j, k
        made.original[axis] = geometry.size[its];
        made.spacing[axis] = geometry.spacing[its];
        made.target[axis] = axis < flat ? made.spacing[axis] : plan.spacing[axis - flat];
        made.resampled[axis] = std::max<std::int64_t>(
            1, resampledTo(made.original[axis], made.spacing[axis], made.target[axis]));
        made.padded[axis] =
            axis < flat ? made.resampled[axis] : std::max(made.resampled[axis], patch[axis - flat]);
    }
    double product = 1;
    for (const std::int64_t size : made.padded) {
        product *= static_cast<double>(size);
    }
    if (product > kMostVoxels) {
        return base::Error{fmt::format(
            "resampled to the plan's spacing it has {} voxels; is its spacing of {:.4g} "
            "x {:.4g} x {:.4g} mm right?",
            base::formatShape(made.padded), geometry.spacing[0], geometry.spacing[1], geometry.spacing[2])};
    }
    made.windows = flat == 1 ? made.padded[0] : 1;
    for (std::size_t axis = flat; axis < 3; ++axis) {
        made.windows *= static_cast<std::int64_t>(
            stack::windowStarts(made.padded[axis], patch[axis - flat], 1 - step).size());
    }
    if (made.windows > stack::kMostWindows) {
        return base::Error{fmt::format("it would take {} windows", base::formatCount(made.windows))};
    }
    made.data = resampling(plan.data, made.spacing, made.target);
    made.probabilities = resampling(plan.probabilities, made.target, made.spacing);
    return made;
}

}  // namespace highwater::cases
