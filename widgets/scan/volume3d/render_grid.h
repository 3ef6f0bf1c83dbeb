#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/volume/volume.h"

namespace highwater::widgets {

/// 16-bit voxels, i varies fastest, with a rim of zeros that is one voxel thick.
struct RenderGrid {
    std::array<std::int64_t, 3> size{};  ///< including the rim; each >= 3
    std::vector<std::uint16_t> voxels;

    std::int64_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return i + size[0] * (j + size[1] * k);
    }
};

/// The first and last voxel kept along each axis, counted without the rim.
struct GridBounds {
    std::array<std::int64_t, 3> first{}, last{};
};

/// Reduces the volume to blocks, so that no axis has more than `most` of them, and maps [low, high] to 0 to
/// 65535. Values that are not finite become 0. Returns std::nullopt if `cancelled` became true.
std::optional<RenderGrid> renderGrid(const volume::Volume& volume, std::int64_t most, double low, double high,
                                     const std::atomic<bool>& cancelled);

/// Smooths with one binomial pass (1, 2, 1) along every axis. This removes the noise on surfaces that shading
/// would show as ripples. Returns false if cancelled.
bool smoothGrid(RenderGrid& grid, const std::atomic<bool>& cancelled);

/// The bounds of the voxels that exceed `surface` by more than noise, with a margin of three voxels. Returns
/// the whole grid if there are none.
GridBounds contentsOf(const RenderGrid& grid, std::uint16_t surface);

/// Crops the grid in place to the voxels within the bounds and a rim. Mirrors it along i if `mirror` is set.
void cropGrid(RenderGrid& grid, const GridBounds& bounds, bool mirror);

}  // namespace highwater::widgets
