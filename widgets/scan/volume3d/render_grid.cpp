#include "widgets/scan/volume3d/render_grid.h"

#include <algorithm>
#include <cstring>

#include "core/volume/downsample.h"

namespace highwater::widgets {
namespace {

// Smaller volumes are kept in memory, because they are likely to be read again.
constexpr base::Bytes kForgetFrom = 512 * base::kMiB;
constexpr std::int64_t kSpare = 3;

std::size_t product(const std::array<std::int64_t, 3>& size) {
    return static_cast<std::size_t>(size[0] * size[1] * size[2]);
}

/// Weights 1, 2, 1 along the voxels of one row; the end voxels are repeated beyond the ends.
void smoothRow(std::uint16_t* row, std::int64_t length) {
    unsigned before = row[0];
    for (std::int64_t i = 0; i + 1 < length; ++i) {
        const unsigned here = row[i];
        row[i] = static_cast<std::uint16_t>((before + 2 * here + row[i + 1] + 2) / 4);
        before = here;
    }
    row[length - 1] = static_cast<std::uint16_t>((before + 3U * row[length - 1] + 2) / 4);
}

/// The same across rows: `rows` rows of `length`, `stride` apart.
void smoothAcross(std::uint16_t* first, std::int64_t length, std::int64_t rows, std::int64_t stride) {
    std::vector<std::uint16_t> before(first, first + length);
    for (std::int64_t r = 0; r < rows; ++r) {
        std::uint16_t* const row = first + r * stride;
        const std::uint16_t* const after = r + 1 < rows ? row + stride : row;
        for (std::int64_t i = 0; i < length; ++i) {
            const unsigned here = row[i];
            row[i] = static_cast<std::uint16_t>(
                (before[static_cast<std::size_t>(i)] + 2 * here + after[i] + 2) / 4);
            before[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(here);
        }
    }
}

}  // namespace

std::optional<RenderGrid> renderGrid(const volume::Volume& volume, std::int64_t most, double low, double high,
                                     const std::atomic<bool>& cancelled) {
    RenderGrid grid{volume::downsampledGeometry(volume.geometry(), most).size, {}};
    const std::int64_t ni = grid.size[0], nj = grid.size[1];
    for (std::int64_t& n : grid.size) {
        n += 2;
    }
    grid.voxels.resize(product(grid.size));
    const double scale = 65535 / (high - low);
    const base::Bytes bytes = volume.geometry().voxels() * volume::voxelBytes(volume.header().type);
    const auto done = volume::downsampleSlabs(
        volume, most, {.progress = {}, .cancel = &cancelled, .forget = bytes >= kForgetFrom},
        [&](std::int64_t k, std::span<const float> slab) {
            for (std::int64_t j = 0; j < nj; ++j) {
                std::uint16_t* const to = grid.voxels.data() + grid.index(1, j + 1, k + 1);
                const float* const from = slab.data() + j * ni;
                for (std::int64_t i = 0; i < ni; ++i) {
                    const double level = (from[i] - low) * scale;
                    to[i] = level > 0 ? static_cast<std::uint16_t>(std::min(level, 65535.0)) : 0;  // NaN: 0
                }
            }
        });
    if (!done || cancelled) {
        return std::nullopt;
    }
    return grid;
}

bool smoothGrid(RenderGrid& grid, const std::atomic<bool>& cancelled) {
    const std::int64_t row = grid.size[0], slab = row * grid.size[1];
    const std::int64_t ni = row - 2, nj = grid.size[1] - 2, nk = grid.size[2] - 2;
    for (std::int64_t k = 1; k <= nk && !cancelled; ++k) {
        std::uint16_t* const first = grid.voxels.data() + grid.index(1, 1, k);
        for (std::int64_t j = 0; j < nj; ++j) {
            smoothRow(first + j * row, ni);
        }
        smoothAcross(first, ni, nj, row);
    }
    for (std::int64_t j = 1; j <= nj && !cancelled; ++j) {
        smoothAcross(grid.voxels.data() + grid.index(1, j, 1), ni, nk, slab);
    }
    return !cancelled;
}

GridBounds contentsOf(const RenderGrid& grid, std::uint16_t surface) {
    std::array<std::vector<std::int64_t>, 3> counts;
    std::array<std::int64_t, 3> inner{};
    for (std::size_t a = 0; a < 3; ++a) {
        inner[a] = grid.size[a] - 2;
        counts[a].resize(static_cast<std::size_t>(inner[a]));
    }
    for (std::int64_t k = 0; k < inner[2]; ++k) {
        for (std::int64_t j = 0; j < inner[1]; ++j) {
            const std::uint16_t* const row = grid.voxels.data() + grid.index(1, j + 1, k + 1);
            std::int64_t filled = 0;
            for (std::int64_t i = 0; i < inner[0]; ++i) {
                const bool above = row[i] > surface;
                counts[0][static_cast<std::size_t>(i)] += above;
                filled += above;
            }
            counts[1][static_cast<std::size_t>(j)] += filled;
            counts[2][static_cast<std::size_t>(k)] += filled;
        }
    }
    GridBounds b;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t area = inner[0] * inner[1] * inner[2] / inner[a];
        const auto filled = [&](std::int64_t count) { return count > area / 5000; };
        const auto first = std::ranges::find_if(counts[a], filled);
        const auto last = std::find_if(counts[a].rbegin(), counts[a].rend(), filled);
        b.first[a] = first == counts[a].end() ? 0 : first - counts[a].begin();
        b.last[a] = first == counts[a].end() ? inner[a] - 1 : counts[a].rend() - last - 1;
        b.first[a] = std::max<std::int64_t>(0, b.first[a] - kSpare);
        b.last[a] = std::min(inner[a] - 1, b.last[a] + kSpare);
    }
    return b;
}

void cropGrid(RenderGrid& grid, const GridBounds& b, bool mirror) {
    const RenderGrid before{grid.size, {}};
    for (std::size_t a = 0; a < 3; ++a) {
        grid.size[a] = b.last[a] - b.first[a] + 3;
    }
    const std::int64_t length = grid.size[0] - 2;
    std::uint16_t* const all = grid.voxels.data();
    // No row moves toward the end, so in ascending order none is overwritten before it is read.
    std::uint16_t* to = all;
    for (std::int64_t k = 0; k < grid.size[2]; ++k) {
        for (std::int64_t j = 0; j < grid.size[1]; ++j, to += grid.size[0]) {
            const bool rim = k == 0 || k + 1 == grid.size[2] || j == 0 || j + 1 == grid.size[1];
            if (rim) {
                std::fill_n(to, grid.size[0], std::uint16_t{0});
                continue;
            }
            std::uint16_t* const from = all + before.index(b.first[0] + 1, b.first[1] + j, b.first[2] + k);
            std::memmove(to + 1, from, static_cast<std::size_t>(length) * sizeof(*to));
            to[0] = to[length + 1] = 0;
            if (mirror) {
                std::reverse(to + 1, to + 1 + length);
            }
        }
    }
    grid.voxels.resize(product(grid.size));
    if (grid.voxels.size() < grid.voxels.capacity() / 2) {
        grid.voxels.shrink_to_fit();
    }
}

}  // namespace highwater::widgets
