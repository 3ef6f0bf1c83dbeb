#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace highwater::widgets {

/// Removes small pieces, such as noise and ghosts in the air. A piece consists of voxels above `surface` that
/// are connected through their faces. The voxels of pieces smaller than 1/50 of the largest one are lowered
/// to `surface`. `size` is along i, j, k, and i varies fastest; at most 2^32 voxels. Takes one bit per voxel,
/// and memory for the growing front of a piece. Stops early if `cancelled` becomes true.
void removeIslands(std::vector<std::uint16_t>& voxels, const std::array<std::int64_t, 3>& size,
                   std::uint16_t surface, const std::atomic<bool>& cancelled);

}  // namespace highwater::widgets
