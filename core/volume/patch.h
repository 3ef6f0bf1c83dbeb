#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "core/volume/volume.h"

/// Where patches lie. Sizes and positions are voxels i, j, k.
namespace highwater::volume {

using Index3 = std::array<std::int64_t, 3>;

struct PatchBox {
    Index3 start{};   ///< may be negative: what lies outside is padded (extractPatch's `outside`)
    Index3 extent{};  ///< >= 1
    bool operator==(const PatchBox&) const = default;
};

/// Moves a box inside the volume; along axes where it is longer than the volume it is centred, so that the
/// padding is even. An extent below 1 is taken as 1.
PatchBox clampPatch(const PatchBox& box, const Index3& size);

/// A uniformly random position inside the volume (centred along axes where the patch is longer). The same
/// generator state gives the same box on every machine.
PatchBox randomPatch(const Index3& size, const Index3& extent, std::mt19937_64& random);

/// How many voxels are over `threshold` up to the end of each 4,096 voxels, in the order in which they are
/// stored: so any of them is found without a list of all. The last is their number. 256 KiB for 512^3 voxels.
std::vector<std::int64_t> countForeground(const Volume& volume, double threshold);

/// The same, centred on a random voxel whose value is over `threshold`, each as likely. Looks at up to 1,000
/// random voxels, then draws one by `counts`, countForeground's; where there is none it is uniform.
PatchBox randomForegroundPatch(const Volume& volume, const Index3& extent, double threshold,
                               const std::vector<std::int64_t>& counts, std::mt19937_64& random);

}  // namespace highwater::volume
