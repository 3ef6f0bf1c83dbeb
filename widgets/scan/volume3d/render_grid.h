#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/volume/volume.h"

namespace highwater::widgets {

/// 16-bit voxels, i fastest, with a rim of zeros one voxel thick.
struct RenderGrid {
    std::array<std::int64_t, 3> size{};  ///< the rim counts; each >= 3
    std::vector<std::uint16_t> voxels;

    std::int64_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return i + size[0] * (j + size[1] * k);
    }
};

/// The first and last voxel kept along each axis, counted without the rim.
struct GridBounds {
    std::array<std::int64_t, 3> first{}, last{};
};

/// The volume in blocks, so that no axis has more than `most` of them, [low, high] as 0 to 65535; what is not
/// finite is 0. Nothing when `cancelled` became true.
std::optional<RenderGrid> renderGrid(const volume::Volume& volume, std::int64_t most, double low, double high,
                                     const std::atomic<bool>& cancelled);

/// One binomial pass (1, 2, 1) along every axis: takes the noise off the surface that shading would show as
/// ripples. False when cancelled.
bool smoothGrid(RenderGrid& grid, const std::atomic<bool>& cancelled);

/// What holds more than noise above `surface`, with three voxels to spare; all of it where nothing does.
GridBounds contentsOf(const RenderGrid& grid, std::uint16_t surface);

/// Leaves the voxels within bounds and a rim, in place; i mirrored where asked.
void cropGrid(RenderGrid& grid, const GridBounds& bounds, bool mirror);

}  // namespace highwater::widgets
