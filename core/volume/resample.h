#pragma once

#include <array>

#include "core/volume/patch.h"

/// Patches that lie askew in their source. Sizes and positions are voxels i, j, k.
namespace highwater::volume {

using Matrix3 = std::array<std::array<double, 3>, 3>;

enum class Interpolation { Linear, Nearest };

/// Output voxel o shows what lies at centre + matrix * (o - (extent - 1) / 2) in the source.
struct Placement {
    Matrix3 matrix{};
    std::array<double, 3> centre{};  ///< in the source's voxels
};

/// The placement of a patch box turned about its own centre.
Placement placementIn(const PatchBox& box, const Matrix3& matrix);

/// Real values of the volume; outside reads as `outside`.
void resamplePatch(const Volume& volume, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float outside, float* out);
/// Of an array of this size, i fastest; its edge voxels go on outside.
void resampleArray(const float* from, const Index3& size, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float* out);

/// A patch whose axes are permuted and mirrored: `matrix` holds 0, 1 and -1, one that is not 0 in each row
/// and column, and exchanges only axes that are equally long. Exact.
void reorient(const float* from, const Index3& extent, const Matrix3& matrix, float* out);

}  // namespace highwater::volume
