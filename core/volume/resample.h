#pragma once

#include <array>

#include "core/volume/patch.h"

/// Patches that are rotated or scaled relative to their source. Sizes and positions are in voxels i, j, k.
namespace highwater::volume {

using Matrix3 = std::array<std::array<double, 3>, 3>;

enum class Interpolation { Linear, Nearest };

/// Output voxel o has the value at center + matrix * (o - (extent - 1) / 2) in the source.
struct Placement {
    Matrix3 matrix{};
    std::array<double, 3> center{};  ///< in voxels of the source
};

/// Returns the placement of a patch box that is transformed about its own center.
Placement placementIn(const PatchBox& box, const Matrix3& matrix);

/// Writes real values of the volume; positions outside have the value `outside`.
void resamplePatch(const Volume& volume, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float outside, float* out);
/// The same for an array of this size, i fastest; outside, its edge voxels are repeated.
void resampleArray(const float* from, const Index3& size, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float* out);

/// Permutes and mirrors a patch's axes. `matrix` contains 0, 1 and -1, with one non-zero entry in each row
/// and column, and exchanges only axes of equal length. Exact.
void reorient(const float* from, const Index3& extent, const Matrix3& matrix, float* out);

}  // namespace highwater::volume
