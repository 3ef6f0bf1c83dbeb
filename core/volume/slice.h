#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/volume/volume.h"
#include "core/volume/windowing.h"

/// Slices along voxel axes, shown in the radiological convention: axial and coronal slices with the patient's
/// right on the viewer's left; axial with anterior on top, coronal and sagittal with superior on top,
/// sagittal with anterior on the left.
namespace highwater::volume {

enum class Plane { Axial, Coronal, Sagittal };
std::string_view planeName(Plane plane);  ///< "axial", "coronal", "sagittal"
base::Result<Plane> parsePlane(std::string_view name);

/// Returns the voxel axis that is nearest to the patient's x, y and z axis; a permutation of 0, 1, 2.
std::array<int, 3> nearestAxes(const Geometry& geometry);

/// The relation between one plane's pixels and the voxels. Pixels are column, row from the top left.
struct SliceLayout {
    Plane plane = Plane::Axial;
    int columnAxis = 0, rowAxis = 1, normalAxis = 2;  ///< voxel axes
    bool flipColumns = false, flipRows = false;     ///< if true, column (row) 0 is the last voxel of its axis
    std::int64_t width = 0, height = 0, depth = 0;  ///< width and height in pixels, and number of slices
                                                    ///< along normalAxis
    double columnSpacing = 1, rowSpacing = 1, normalSpacing = 1;  ///< mm
    char left = 'R', right = 'L', top = 'A', bottom = 'P';  ///< the patient's direction beyond each edge

    /// Returns voxel i, j, k of a pixel of slice `index`.
    std::array<std::int64_t, 3> voxel(std::int64_t column, std::int64_t row, std::int64_t index) const;
    /// Returns column, row and slice index of a voxel position (fractions allowed): the inverse of voxel().
    std::array<double, 3> pixel(const std::array<double, 3>& ijk) const;
};
SliceLayout sliceLayout(const Geometry& geometry, Plane plane);

/// Returns the real values of slice `index` (0 to depth-1), row by row.
std::vector<float> sliceValues(const Volume& volume, const SliceLayout& layout, std::int64_t index);
/// The same as 8-bit gray values (toGray).
std::vector<std::uint8_t> sliceGray(const Volume& volume, const SliceLayout& layout, std::int64_t index,
                                    const Window& window);

}  // namespace highwater::volume
