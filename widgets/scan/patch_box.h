#pragma once

#include <array>

#include "core/volume/patch.h"

namespace highwater::widgets {

using volume::Index3;    ///< along the voxel axes i, j, k
using volume::PatchBox;  ///< the voxels [start, start + extent) that are passed to the network

/// Converts an experiment's patch [D, H, W] to the voxel axes: D is along k, H along j, W along i.
inline Index3 extentOfPatch(const Index3& depthHeightWidth) {
    return {depthHeightWidth[2], depthHeightWidth[1], depthHeightWidth[0]};
}

/// The eight corners of the box in RAS+ mm. Corner n lies at the far end of axis a if bit a of n is set. A
/// box covers whole voxels, so its faces lie half a voxel outside the centers of its first and last voxels.
std::array<std::array<double, 3>, 8> patchCorners(const PatchBox& box, const volume::Geometry& geometry);

}  // namespace highwater::widgets
