#include "core/volume/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/volume/resample_cells.h"
#include "core/volume/visit.h"

namespace highwater::volume {

namespace {

HIGHWATER_VECTOR_CLONES
void cellsOf(const Grid<std::int32_t>& grid, const Line& line, std::int64_t first, std::int64_t count,
             Cells<std::int32_t>& cells) {
    findCells(grid, line, first, count, cells);
}

void cellsOf(const Grid<std::int64_t>& grid, const Line& line, std::int64_t first, std::int64_t count,
             Cells<std::int64_t>& cells) {
    findCells(grid, line, first, count, cells);
}

/// The voxels of a cell, along i and then j, on the near side and the far side.
struct Corners {
    using Four = float __attribute__((vector_size(16)));
    Four near, far;

    HIGHWATER_INLINE float between(float x, float y, float z) const {
        const Four face = near + z * (far - near);
        const float low = face[0] + y * (face[2] - face[0]), high = face[1] + y * (face[3] - face[1]);
        return low + x * (high - low);
    }
};

/// Interpolates trilinearly along [begin, end) of a row. `load(at)` returns a cell's corners.
template <class Index, class Load>
HIGHWATER_INLINE void linearRow(const Load& load, const Grid<Index>& grid, const Line& line,
                                std::int64_t begin, std::int64_t end, float* out) {
    Cells<Index> cells;
    for (std::int64_t first = begin; first < end; first += kBlock) {
        const std::int64_t count = lesser(kBlock, end - first);
        cellsOf(grid, line, first, count, cells);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            out[first + static_cast<std::int64_t>(i)] =
                load(cells.at[i]).between(cells.x[i], cells.y[i], cells.z[i]);
        }
    }
}

/// Loads the corners of voxels of any type; `voxel(index)` returns one.
template <class Index, class Voxel>
HIGHWATER_INLINE Corners cornersOf(const Voxel& voxel, const Grid<Index>& grid, Index at) {
    const auto [sx, sy, sz] = grid.stride;
    Corners corners;
    corners.near = Corners::Four{voxel(at), voxel(at + sx), voxel(at + sy), voxel(at + sy + sx)};
    at += sz;
    corners.far = Corners::Four{voxel(at), voxel(at + sx), voxel(at + sy), voxel(at + sy + sx)};
    return corners;
}

/// The part [begin, end) of a row whose positions are inside the source.
struct Part {
    std::int64_t begin = 0, end = 0;
};

Part insideOf(const Line& line, std::int64_t count, const Index3& size) {
    double low = 0, high = static_cast<double>(count - 1);
    constexpr double kSlack = 1e-4;  // in voxels; ensures that rounding puts no position outside
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double first = -kSlack - line.start[axis];
        const double last = static_cast<double>(size[axis] - 1) + kSlack - line.start[axis];
        const double step = line.step[axis];
        if (std::abs(step) < 1e-12) {
            if (first > 0 || last < 0) {
                return {};
            }
            continue;
        }
        low = std::max(low, std::min(first / step, last / step));
        high = std::min(high, std::max(first / step, last / step));
    }
    if (!(low <= high)) {
        return {};
    }
    const auto begin = static_cast<std::int64_t>(std::ceil(low)),
               end = static_cast<std::int64_t>(std::floor(high)) + 1;
    return {begin, std::max(begin, end)};
}

/// Interpolates at a position whose cell reaches outside; the corners there have the value `outside`.
double linearAtEdge(const Volume& volume, const Vector3& position, double outside) {
    const Index3& size = volume.geometry().size;
    std::array<std::int64_t, 3> cell{};
    Vector3 part{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = std::floor(position[axis]);
        if (!(low >= -1 && low < static_cast<double>(size[axis]))) {
            return outside;
        }
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
        if (weight > 0) {
            sum += weight * (inside ? volume.at(at[0], at[1], at[2]) : outside);
        }
    }
    return sum;
}

template <class Index>
void linearPatchBy(const Volume& volume, const Placement& placement, const Index3& extent, float outside,
                   float* out) {
    const Index3& size = volume.geometry().size;
    const Grid<Index> grid(size);
    const double slope = volume.header().slope, intercept = volume.header().intercept;
    visitType(volume.header().type, [&](auto type) {
        const std::byte* const voxels = volume.data();
        const auto voxel = [voxels](Index index) {
            return static_cast<float>(loadVoxel<decltype(type)>(voxels, index));
        };
        const auto load = [voxel, &grid](Index at) { return cornersOf(voxel, grid, at); };
        for (std::int64_t k = 0; k < extent[2]; ++k) {
            for (std::int64_t j = 0; j < extent[1]; ++j, out += extent[0]) {
                const Line line = lineOf(placement, extent, j, k);
                const Part inside = insideOf(line, extent[0], size);
                linearRow(load, grid, line, inside.begin, inside.end, out);
                for (std::int64_t i = inside.begin; i < inside.end; ++i) {
                    out[i] = static_cast<float>(static_cast<double>(out[i]) * slope + intercept);
                }
                for (std::int64_t i = 0; i < extent[0]; i = i + 1 == inside.begin ? inside.end : i + 1) {
                    if (i < inside.begin || i >= inside.end) {
                        out[i] = static_cast<float>(
                            linearAtEdge(volume, {line.at(0, i), line.at(1, i), line.at(2, i)}, outside));
                    }
                }
            }
        }
    });
}

bool fitsNarrow(const Index3& size) {
    return size[0] * size[1] * size[2] <= std::numeric_limits<std::int32_t>::max();
}

void linearPatch(const Volume& volume, const Placement& placement, const Index3& extent, float outside,
                 float* out) {
    if (fitsNarrow(volume.geometry().size)) {
        linearPatchBy<std::int32_t>(volume, placement, extent, outside, out);
    } else {
        linearPatchBy<std::int64_t>(volume, placement, extent, outside, out);
    }
}

/// Returns the index of the nearest voxel, which may be outside.
std::int64_t nearest(double position) {
    constexpr double kFar = 4e18;
    return static_cast<std::int64_t>(std::floor(std::clamp(position, -kFar, kFar) + 0.5));
}

/// Calls `put(place, i, j, k)` with the nearest voxel for each position of the output.
template <class Put>
void eachNearest(const Placement& placement, const Index3& extent, const Put& put) {
    std::int64_t place = 0;
    for (std::int64_t k = 0; k < extent[2]; ++k) {
        for (std::int64_t j = 0; j < extent[1]; ++j) {
            const Line line = lineOf(placement, extent, j, k);
            for (std::int64_t i = 0; i < extent[0]; ++i) {
                put(place++, nearest(line.at(0, i)), nearest(line.at(1, i)), nearest(line.at(2, i)));
            }
        }
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

/// Neighbors along i are adjacent in memory.
template <class Index>
HIGHWATER_INLINE Corners pairsOf(const float* from, const Grid<Index>& grid, Index at) {
    const auto pairs = [&](const float* low, Corners::Four& four) {
        std::memcpy(&four, low, 8);
        std::memcpy(reinterpret_cast<char*>(&four) + 8, low + grid.stride[1], 8);
    };
    Corners corners;
    pairs(from + at, corners.near);
    pairs(from + at + grid.stride[2], corners.far);
    return corners;
}

template <class Index>
void linearArrayBy(const float* from, const Index3& size, const Placement& placement, const Index3& extent,
                   float* out) {
    const Grid<Index> grid(size);
    const auto pairs = [from, &grid](Index at) { return pairsOf(from, grid, at); };
    const auto single = [from, &grid](Index at) {
        return cornersOf([from](Index index) { return from[index]; }, grid, at);
    };
    for (std::int64_t k = 0; k < extent[2]; ++k) {
        for (std::int64_t j = 0; j < extent[1]; ++j, out += extent[0]) {
            const Line line = lineOf(placement, extent, j, k);
            if (size[0] > 1) {
                linearRow(pairs, grid, line, 0, extent[0], out);
            } else {
                linearRow(single, grid, line, 0, extent[0], out);
            }
        }
    }
}

void linearArray(const float* from, const Index3& size, const Placement& placement, const Index3& extent,
                 float* out) {
    if (fitsNarrow(size)) {
        linearArrayBy<std::int32_t>(from, size, placement, extent, out);
    } else {
        linearArrayBy<std::int64_t>(from, size, placement, extent, out);
    }
}

}  // namespace

Placement placementIn(const PatchBox& box, const Matrix3& matrix) {
    Placement placement{matrix, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        placement.center[axis] =
            static_cast<double>(box.start[axis]) + static_cast<double>(box.extent[axis] - 1) / 2;
    }
    return placement;
}

void resamplePatch(const Volume& volume, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float outside, float* out) {
    if (interpolation == Interpolation::Linear) {
        linearPatch(volume, placement, extent, outside, out);
    } else {
        nearestPatch(volume, placement, extent, outside, out);
    }
}

void resampleArray(const float* from, const Index3& size, const Placement& placement, const Index3& extent,
                   Interpolation interpolation, float* out) {
    if (interpolation == Interpolation::Linear) {
        return linearArray(from, size, placement, extent, out);
    }
    eachNearest(placement, extent, [&](std::int64_t place, auto i, auto j, auto k) {
        const auto inside = [&](std::int64_t at, std::size_t axis) {
            return std::clamp<std::int64_t>(at, 0, size[axis] - 1);
        };
        out[place] = from[(inside(k, 2) * size[1] + inside(j, 1)) * size[0] + inside(i, 0)];
    });
}

}  // namespace highwater::volume
