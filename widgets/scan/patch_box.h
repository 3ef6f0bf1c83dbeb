#pragma once

#include <array>
#include <cstdint>

#include "core/volume/volume.h"

namespace highwater::widgets {

using Index3 = std::array<std::int64_t, 3>;  ///< along the voxel axes i, j, k

/// The voxels [start, start + extent) that the network gets.
struct PatchBox {
    Index3 start{};
    Index3 extent{};  ///< >= 1
    bool operator==(const PatchBox&) const = default;
};

/// An experiment's patch [D, H, W] in voxel axes: D runs along k, H along j, W along i.
inline Index3 extentOfPatch(const Index3& depthHeightWidth) {
    return {depthHeightWidth[2], depthHeightWidth[1], depthHeightWidth[0]};
}

/// The box moved inside a volume of this size; along an axis where it is larger than the volume, centred.
PatchBox clampedPatch(PatchBox box, const Index3& size);

/// The box's eight corners in RAS+ mm: corner n lies at the far end of axis a where bit a of n is set. A box
/// covers whole voxels, so its faces lie half a voxel outside its first and last centres.
std::array<std::array<double, 3>, 8> patchCorners(const PatchBox& box, const volume::Geometry& geometry);

}  // namespace highwater::widgets
