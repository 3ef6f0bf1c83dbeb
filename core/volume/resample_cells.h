#pragma once

#include <algorithm>
#include <array>

#include "core/volume/resample.h"
#include "core/volume/vector_clones.h"

/// Finds the cells (between eight voxels of the source) that contain the positions of an output row. Private
/// to core/volume.
namespace highwater::volume {

using Vector3 = std::array<double, 3>;

/// Positions along one row of the output: start + i * step.
struct Line {
    Vector3 start{}, step{};
    double at(std::size_t axis, std::int64_t i) const {
        return start[axis] + static_cast<double>(i) * step[axis];
    }
};

inline Line lineOf(const Placement& placement, const Index3& extent, std::int64_t j, std::int64_t k) {
    const Vector3 offset{-static_cast<double>(extent[0] - 1) / 2,
                         static_cast<double>(j) - static_cast<double>(extent[1] - 1) / 2,
                         static_cast<double>(k) - static_cast<double>(extent[2] - 1) / 2};
    Line line;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Vector3& row = placement.matrix[axis];
        line.start[axis] =
            placement.center[axis] + row[0] * offset[0] + row[1] * offset[1] + row[2] * offset[2];
        line.step[axis] = row[0];
    }
    return line;
}

/// The source: its number of voxels per axis, and the strides between neighbors.
template <class Index>
struct Grid {
    std::array<Index, 3> last{};    ///< index of the last cell that a position can be in
    std::array<Index, 3> stride{};  ///< to the next voxel; 0 if the axis has only one
    std::array<float, 3> end{};     ///< position of the last voxel

    explicit Grid(const Index3& size) {
        const Index3 strides{1, size[0], size[0] * size[1]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            last[axis] = static_cast<Index>(std::max<std::int64_t>(size[axis] - 2, 0));
            stride[axis] = size[axis] > 1 ? static_cast<Index>(strides[axis]) : 0;
            end[axis] = static_cast<float>(size[axis] - 1);
        }
    }
};

/// The number of positions that Cells can hold.
constexpr std::int64_t kBlock = 64;

/// For some positions: the first voxel of their cell, and their position within the cell, 0 to 1.
template <class Index>
struct Cells {
    std::array<Index, kBlock> at;
    std::array<float, kBlock> x, y, z;
};

/// Finds the cells of `count` positions of a row, starting at `first`. Positions outside are moved to the
/// edge.
template <class Index>
HIGHWATER_INLINE void findCells(const Grid<Index>& grid, const Line& line, std::int64_t first,
                                std::int64_t count, Cells<Index>& cells) {
    const auto x0 = static_cast<float>(line.start[0]), y0 = static_cast<float>(line.start[1]),
               z0 = static_cast<float>(line.start[2]);
    const auto dx = static_cast<float>(line.step[0]), dy = static_cast<float>(line.step[1]),
               dz = static_cast<float>(line.step[2]);
    const auto [sx, sy, sz] = grid.stride;
    const auto [lx, ly, lz] = grid.last;
    const auto [ex, ey, ez] = grid.end;
    const auto begin = static_cast<std::int32_t>(first);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(count); ++i) {
        const auto n = static_cast<float>(begin + i);
        const float x = lesser(greater(x0 + n * dx, 0.0F), ex), y = lesser(greater(y0 + n * dy, 0.0F), ey),
                    z = lesser(greater(z0 + n * dz, 0.0F), ez);
        const Index cx = lesser(static_cast<Index>(x), lx), cy = lesser(static_cast<Index>(y), ly),
                    cz = lesser(static_cast<Index>(z), lz);
        cells.at[static_cast<std::size_t>(i)] = cx + cy * sy + cz * sz;
        cells.x[static_cast<std::size_t>(i)] = x - static_cast<float>(cx);
        cells.y[static_cast<std::size_t>(i)] = y - static_cast<float>(cy);
        cells.z[static_cast<std::size_t>(i)] = z - static_cast<float>(cz);
    }
}

}  // namespace highwater::volume
