#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "core/volume/volume.h"

/// Positions of patches. Sizes and positions are in voxels i, j, k.
namespace highwater::volume {

using Index3 = std::array<std::int64_t, 3>;

struct PatchBox {
    Index3 start{};   ///< may be negative: voxels outside are padded (extractPatch's `outside`)
    Index3 extent{};  ///< >= 1
    bool operator==(const PatchBox&) const = default;
};

/// Moves a box into the volume. Along axes where it is longer than the volume it is centered, so that the
/// padding is even. An extent below 1 counts as 1.
PatchBox clampPatch(const PatchBox& box, const Index3& size);

/// Returns a box at a uniformly random position in the volume (centered along axes where the patch is
/// longer). The same generator state gives the same box on every machine.
PatchBox randomPatch(const Index3& size, const Index3& extent, std::mt19937_64& random);

/// Counts the voxels above `threshold`: entry n is the count up to the end of block n of 4,096 voxels, in
/// storage order; the last entry is the total. With it, any such voxel can be found without a list of all.
/// 256 KiB for 512^3 voxels.
std::vector<std::int64_t> countForeground(const Volume& volume, double threshold);

/// The same, centered on a random voxel whose value is above `threshold`, each with equal probability. Tries
/// up to 1,000 random voxels, then draws one using `counts` (from countForeground). If there is none, the
/// position is uniform.
PatchBox randomForegroundPatch(const Volume& volume, const Index3& extent, double threshold,
                               const std::vector<std::int64_t>& counts, std::mt19937_64& random);

}  // namespace highwater::volume
