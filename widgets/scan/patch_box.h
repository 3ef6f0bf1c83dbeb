#pragma once

#include <array>

#include "core/volume/patch.h"

namespace highwater::widgets {

using volume::Index3;    ///< along the voxel axes i, j, k
using volume::PatchBox;  ///< the voxels [start, start + extent) that the network gets

/// An experiment's patch [D, H, W] in voxel axes: D runs along k, H along j, W along i.
inline Index3 extentOfPatch(const Index3& depthHeightWidth) {
    return {depthHeightWidth[2], depthHeightWidth[1], depthHeightWidth[0]};
}

/// The box's eight corners in RAS+ mm: corner n lies at the far end of axis a where bit a of n is set. A box
/// covers whole voxels, so its faces lie half a voxel outside its first and last centres.
std::array<std::array<double, 3>, 8> patchCorners(const PatchBox& box, const volume::Geometry& geometry);

}  // namespace highwater::widgets
