#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace highwater::widgets {

/// Voxels above `surface` that hang together through faces make a piece. Pieces smaller than 1/50 of the
/// largest (noise and ghosts in the air) are lowered to `surface`. `size` is i, j, k, i fastest; at most 2^32
/// voxels. Takes an eighth of a byte a voxel, and a piece's growing front. Stops early when `cancelled`
/// becomes true.
void removeIslands(std::vector<std::uint16_t>& voxels, const std::array<std::int64_t, 3>& size,
                   std::uint16_t surface, const std::atomic<bool>& cancelled);

}  // namespace highwater::widgets
