#include "core/volume/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/volume/vector_clones.h"
#include "core/volume/visit.h"

namespace highwater::volume {

namespace {

using Vector3 = std::array<double, 3>;
using Floats3 = std::array<float, 3>;

/// Positions along one row of the output: start + i * step.
struct Line {
    Vector3 start{}, step{};
    double at(std::size_t axis, std::int64_t i) const {
        return start[axis] + static_cast<double>(i) * step[axis];
    }
};

Line lineOf(const Placement& placement, const Index3& extent, std::int64_t j, std::int64_t k) {
    const Vector3 offset{-static_cast<double>(extent[0] - 1) / 2,
                         static_cast<double>(j) - static_cast<double>(extent[1] - 1) / 2,
                         static_cast<double>(k) - static_cast<double>(extent[2] - 1) / 2};
    Line line;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Vector3& row = placement.matrix[axis];
        line.start[axis] =
            placement.centre[axis] + row[0] * offset[0] + row[1] * offset[1] + row[2] * offset[2];
        line.step[axis] = row[0];
    }
    return line;
}

/// What is sampled: how many voxels, and how far apart neighbours lie.
template <class Index>
struct Grid {
    std::array<Index, 3> last{};    ///< of the cells that a position can lie in
    std::array<Index, 3> stride{};  ///< to the next voxel; 0 where there is none
    Floats3 end{};                  ///< the last voxel's position

    explicit Grid(const Index3& size) {
        const Index3 strides{1, size[0], size[0] * size[1]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            last[axis] = static_cast<Index>(std::max<std::int64_t>(size[axis] - 2, 0));
            stride[axis] = size[axis] > 1 ? static_cast<Index>(strides[axis]) : 0;
            end[axis] = static_cast<float>(size[axis] - 1);
        }
    }
};

/// Trilinear along [begin, end) of a row; positions outside are moved to the edge. `load(index)` is a voxel.
/// Where a position lies: its cell's first voxel, and how far into the cell.
template <class Index>
struct Cell {
    Index at = 0;
    float x = 0, y = 0, z = 0;
};

/// Positions outside are moved to the edge.
template <class Index>
HIGHWATER_INLINE Cell<Index> cellOf(const Grid<Index>& grid, float x, float y, float z) {
    x = lesser(greater(x, 0.0F), grid.end[0]);
    y = lesser(greater(y, 0.0F), grid.end[1]);
    z = lesser(greater(z, 0.0F), grid.end[2]);
    const Index cx = lesser(static_cast<Index>(x), grid.last[0]),
                cy = lesser(static_cast<Index>(y), grid.last[1]),
                cz = lesser(static_cast<Index>(z), grid.last[2]);
    return {cx + cy * grid.stride[1] + cz * grid.stride[2], x - static_cast<float>(cx),
            y - static_cast<float>(cy), z - static_cast<float>(cz)};
}

/// The voxels of a cell, along i and then j: the near side and the far one.
struct Corners {
    using Four = float __attribute__((vector_size(16)));
    Four near, far;

    HIGHWATER_INLINE float between(float x, float y, float z) const {
        const Four face = near + z * (far - near);
        const float low = face[0] + y * (face[2] - face[0]), high = face[1] + y * (face[3] - face[1]);
        return low + x * (high - low);
    }
};

/// Trilinear along [begin, end) of a row. `load(at)` gives a cell's corners.
template <class Index, class Load>
HIGHWATER_INLINE void linearRow(const Load& load, const Grid<Index>& grid, const Line& line,
                                std::int64_t begin, std::int64_t end, float* out) {
    const auto x0 = static_cast<float>(line.start[0]), y0 = static_cast<float>(line.start[1]),
               z0 = static_cast<float>(line.start[2]);
    const auto dx = static_cast<float>(line.step[0]), dy = static_cast<float>(line.step[1]),
               dz = static_cast<float>(line.step[2]);
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
        const auto n = static_cast<float>(i);
        const Cell<Index> cell = cellOf(grid, x0 + n * dx, y0 + n * dy, z0 + n * dz);
        out[i] = load(cell.at).between(cell.x, cell.y, cell.z);
    }
}

/// Corners of any type of voxel; `voxel(index)` is one.
template <class Index, class Voxel>
HIGHWATER_INLINE Corners cornersOf(const Voxel& voxel, const Grid<Index>& grid, Index at) {
    const auto [sx, sy, sz] = grid.stride;
    Corners corners;
    corners.near = Corners::Four{voxel(at), voxel(at + sx), voxel(at + sy), voxel(at + sy + sx)};
    at += sz;
    corners.far = Corners::Four{voxel(at), voxel(at + sx), voxel(at + sy), voxel(at + sy + sx)};
    return corners;
}

/// The part [begin, end) of a row of so many places whose positions lie inside the source.
struct Part {
    std::int64_t begin = 0, end = 0;
};

Part insideOf(const Line& line, std::int64_t count, const Index3& size) {
    double low = 0, high = static_cast<double>(count - 1);
    constexpr double kSlack = 1e-4;  // of a voxel: rounding puts nothing outside
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double first = -kSlack - line.start[axis];
        const double last = static_cast<double>(size[axis] - 1) + kSlack - line.start[axis];
        const double step = line.step[axis];
        if (std::abs(step) < 1e-12) {
            if (first > 0 || last < 0)
                return {};
            continue;
        }
        low = std::max(low, std::min(first / step, last / step));
        high = std::min(high, std::max(first / step, last / step));
    }
    if (!(low <= high))
        return {};
    const auto begin = static_cast<std::int64_t>(std::ceil(low)),
               end = static_cast<std::int64_t>(std::floor(high)) + 1;
    return {begin, std::max(begin, end)};
}

/// A position whose cell reaches outside: the corners there count as `outside`.
double linearAtEdge(const Volume& volume, const Vector3& position, double outside) {
    const Index3& size = volume.geometry().size;
    std::array<std::int64_t, 3> cell{};
    Vector3 part{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = std::floor(position[axis]);
        if (!(low >= -1 && low < static_cast<double>(size[axis])))
            return outside;
        cell[axis] = static_cast<std::int64_t>(low);
        part[axis] = position[axis] - low;
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        std::array<std::int64_t, 3> at = cell;
        double weight = 1;
        bool inside = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool next = ((corner >> axis) & 1) != 0;
            at[axis] += next ? 1 : 0;
            weight *= next ? part[axis] : 1 - part[axis];
            inside = inside && at[axis] >= 0 && at[axis] < size[axis];
        }
        if (weight > 0)
            sum += weight * (inside ? volume.at(at[0], at[1], at[2]) : outside);
    }
    return sum;
}

void linearPatch(const Volume& volume, const Placement& placement, const Index3& extent, float outside,
                 float* out) {
    const Index3& size = volume.geometry().size;
    const Grid<std::int64_t> grid(size);
    const double slope = volume.header().slope, intercept = volume.header().intercept;
    visitType(volume.header().type, [&](auto type) {
        const std::byte* const voxels = volume.data();
        const auto load = [voxels, &grid](std::int64_t at) {
            return cornersOf(
                [voxels](std::int64_t index) {
                    return static_cast<float>(loadVoxel<decltype(type)>(voxels, index));
                },
                grid, at);
        };
        for (std::int64_t k = 0; k < extent[2]; ++k)
            for (std::int64_t j = 0; j < extent[1]; ++j, out += extent[0]) {
                const Line line = lineOf(placement, extent, j, k);
                const Part inside = insideOf(line, extent[0], size);
                linearRow(load, grid, line, inside.begin, inside.end, out);
                for (std::int64_t i = inside.begin; i < inside.end; ++i)
                    out[i] = static_cast<float>(static_cast<double>(out[i]) * slope + intercept);
                for (std::int64_t i = 0; i < extent[0]; i = i + 1 == inside.begin ? inside.end : i + 1)
                    if (i < inside.begin || i >= inside.end)
                        out[i] = static_cast<float>(
                            linearAtEdge(volume, {line.at(0, i), line.at(1, i), line.at(2, i)}, outside));
            }
    });
}

/// The voxel nearest to a position, without bounds.
std::int64_t nearest(double position) {
    constexpr double kFar = 4e18;
    return static_cast<std::int64_t>(std::floor(std::clamp(position, -kFar, kFar) + 0.5));
}

/// Calls `put(place, i, j, k)` with the nearest voxel of each place of the output.
template <class Put>
void eachNearest(const Placement& placement, const Index3& extent, const Put& put) {
    std::int64_t place = 0;
    for (std::int64_t k = 0; k < extent[2]; ++k)
        for (std::int64_t j = 0; j < extent[1]; ++j) {
            const Line line = lineOf(placement, extent, j, k);
            for (std::int64_t i = 0; i < extent[0]; ++i)
                put(place++, nearest(line.at(0, i)), nearest(line.at(1, i)), nearest(line.at(2, i)));
        }
}

void nearestPatch(const Volume& volume, const Placement& placement, const Index3& extent, float outside,
                  float* out) {
    const auto [ni, nj, nk] = volume.geometry().size;
    const double slope = volume.header().slope, intercept = volume.header().intercept;
    visitType(volume.header().type, [&, ni = ni, nj = nj, nk = nk](auto type) {
        eachNearest(placement, extent, [&](std::int64_t place, auto i, auto j, auto k) {
            const bool inside = i >= 0 && i < ni && j >= 0 && j < nj && k >= 0 && k < nk;
            out[place] = inside ? static_cast<float>(static_cast<double>(loadVoxel<decltype(type)>(
                                                         volume.data(), (k * nj + j) * ni + i)) *
                                                         slope +
                                                     intercept)
                                : outside;
        });
    });
}

void linearArray(const float* from, const Index3& size, const Placement& placement, const Index3& extent,
                 float* out) {
    const Grid<std::int64_t> grid(size);
    const auto any = [from, &grid](std::int64_t at) {
        return cornersOf([from](std::int64_t index) { return from[index]; }, grid, at);
    };
    const auto pairs = [from, &grid](std::int64_t at) {  // neighbours along i lie side by side
        Corners corners;
        const float* const near = from + at;
        const float* const far = near + grid.stride[2];
        std::memcpy(&corners.near, near, 8);
        std::memcpy(reinterpret_cast<char*>(&corners.near) + 8, near + grid.stride[1], 8);
        std::memcpy(&corners.far, far, 8);
        std::memcpy(reinterpret_cast<char*>(&corners.far) + 8, far + grid.stride[1], 8);
        return corners;
    };
    for (std::int64_t k = 0; k < extent[2]; ++k)
        for (std::int64_t j = 0; j < extent[1]; ++j, out += extent[0]) {
            const Line line = lineOf(placement, extent, j, k);
            if (size[0] > 1)
                linearRow(pairs, grid, line, 0, extent[0], out);
            else
                linearRow(any, grid, line, 0, extent[0], out);
        }
}

/// Rows that stay rows, forwards or backwards.
void copyRows(const float* from, const Index3& extent, const Index3& step, float* out) {
    for (std::int64_t k = 0; k < extent[2]; ++k)
        for (std::int64_t j = 0; j < extent[1]; ++j, out += extent[0]) {
            const float* const row = from + k * step[2] + j * step[1];
            if (step[0] > 0)
                std::copy_n(row, extent[0], out);
            else
                std::reverse_copy(row - extent[0] + 1, row + 1, out);
        }
}

}  // namespace

Placement placementIn(const PatchBox& box, const Matrix3& matrix) {
    Placement placement{matrix, {}};
    for (std::size_t axis = 0; axis < 3; ++axis)
        placement.centre[axis] =
            static_cast<double>(box.start[axis]) + static_cast<double>(box.extent[axis] - 1) / 2;
    return placement;
}

void resamplePatch(const Volume& volume, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float outside, float* out) {
    if (interpolation == Interpolation::Linear)
        linearPatch(volume, placement, extent, outside, out);
    else
        nearestPatch(volume, placement, extent, outside, out);
}

void resampleArray(const float* from, const Index3& size, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float* out) {
    if (interpolation == Interpolation::Linear)
        return linearArray(from, size, placement, extent, out);
    eachNearest(placement, extent, [&](std::int64_t place, auto i, auto j, auto k) {
        const auto inside = [&](std::int64_t at, std::size_t axis) {
            return std::clamp<std::int64_t>(at, 0, size[axis] - 1);
        };
        out[place] = from[(inside(k, 2) * size[1] + inside(j, 1)) * size[0] + inside(i, 0)];
    });
}

void reorient(const float* from, const Index3& extent, const Matrix3& matrix, float* out) {
    const Index3 strides{1, extent[0], extent[0] * extent[1]};
    Index3 step{};  // in the source, for each axis of the output
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t source = 0; source < 3; ++source)
            if (matrix[source][axis] != 0) {
                step[axis] = matrix[source][axis] > 0 ? strides[source] : -strides[source];
                if (matrix[source][axis] < 0)
                    from += (extent[source] - 1) * strides[source];
            }
    if (std::abs(step[0]) == 1)
        return copyRows(from, extent, step, out);
    // Tiles of the first axis and the one that is nearest in the source: both stay in the cache.
    constexpr std::int64_t kTile = 16;
    const bool second = std::abs(step[1]) <= std::abs(step[2]);
    const std::size_t inner = second ? 1 : 2, outer = second ? 2 : 1;
    for (std::int64_t o = 0; o < extent[outer]; ++o)
        for (std::int64_t n0 = 0; n0 < extent[inner]; n0 += kTile)
            for (std::int64_t i0 = 0; i0 < extent[0]; i0 += kTile) {
                const std::int64_t i1 = std::min(i0 + kTile, extent[0]);
                for (std::int64_t n = n0; n < std::min(n0 + kTile, extent[inner]); ++n) {
                    float* const row = out + o * strides[outer] + n * strides[inner];
                    const float* const source = from + o * step[outer] + n * step[inner];
                    for (std::int64_t i = i0; i < i1; ++i)
                        row[i] = source[i * step[0]];
                }
            }
}

}  // namespace highwater::volume
