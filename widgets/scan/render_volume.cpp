#include "widgets/scan/render_volume.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/volume/downsample.h"
#include "widgets/scan/islands.h"

namespace highwater::widgets {
namespace {

constexpr std::int64_t kMostVoxels = 256;  // along an axis, before the rim of air
constexpr int kSmoothings = 3;
constexpr double kSkinHounsfield = -300;  // between air (-1000) and fat (-100)

/// 16-bit voxels, i fastest.
struct Grid {
    std::array<std::int64_t, 3> size{};
    std::vector<std::uint16_t> voxels;
    std::array<std::int64_t, 3> stride() const { return {1, size[0], size[0] * size[1]}; }
};

/// The first and last slab along each axis with something in it.
struct Bounds {
    std::array<std::int64_t, 3> first{}, last{};
};

Grid quantised(const volume::Volume& volume, double low, double high) {
    Grid grid{volume.geometry().size, {}};
    const auto count = static_cast<std::size_t>(volume.geometry().voxels());
    const auto* const values = reinterpret_cast<const float*>(volume.data());
    grid.voxels.resize(count);
    const double scale = 65535 / (high - low);
    for (std::size_t n = 0; n < count; ++n)
        grid.voxels[n] = static_cast<std::uint16_t>(std::clamp((values[n] - low) * scale, 0.0, 65535.0));
    return grid;
}

/// Weights 1, 2, 1 along the voxels of one row.
void smoothRow(std::uint16_t* row, std::int64_t length) {
    unsigned before = row[0];
    for (std::int64_t i = 0; i + 1 < length; ++i) {
        const unsigned here = row[i];
        row[i] = static_cast<std::uint16_t>((before + 2 * here + row[i + 1] + 2) / 4);
        before = here;
    }
}

/// The same across rows: `rows` rows of `length`, `stride` apart.
void smoothAcross(std::uint16_t* first, std::int64_t length, std::int64_t rows, std::int64_t stride) {
    std::vector<std::uint16_t> before(first, first + length);
    for (std::int64_t r = 0; r + 1 < rows; ++r) {
        std::uint16_t* const row = first + r * stride;
        const std::uint16_t* const after = row + stride;
        for (std::int64_t i = 0; i < length; ++i) {
            const unsigned here = row[i];
            row[i] = static_cast<std::uint16_t>(
                (before[static_cast<std::size_t>(i)] + 2 * here + after[i] + 2) / 4);
            before[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(here);
        }
    }
}

/// One binomial pass along every axis: takes the noise off the surface that shading would show as ripples.
bool smooth(Grid& grid, const std::atomic<bool>& cancelled) {
    const auto [ni, nj, nk] = grid.size;
    const std::int64_t slab = ni * nj;
    for (std::int64_t k = 0; k < nk && !cancelled; ++k) {
        std::uint16_t* const at = grid.voxels.data() + k * slab;
        for (std::int64_t j = 0; j < nj; ++j)
            smoothRow(at + j * ni, ni);
        smoothAcross(at, ni, nj, ni);
    }
    for (std::int64_t j = 0; j < nj && !cancelled; ++j)
        smoothAcross(grid.voxels.data() + j * ni, ni, nk, slab);
    return !cancelled;
}

Bounds contents(const Grid& grid, std::uint16_t surface) {
    std::array<std::vector<std::int64_t>, 3> counts;
    for (std::size_t a = 0; a < 3; ++a)
        counts[a].resize(static_cast<std::size_t>(grid.size[a]));
    std::size_t n = 0;
    for (std::int64_t k = 0; k < grid.size[2]; ++k)
        for (std::int64_t j = 0; j < grid.size[1]; ++j)
            for (std::int64_t i = 0; i < grid.size[0]; ++i, ++n)
                if (grid.voxels[n] > surface) {
                    ++counts[0][static_cast<std::size_t>(i)];
                    ++counts[1][static_cast<std::size_t>(j)];
                    ++counts[2][static_cast<std::size_t>(k)];
                }
    Bounds b;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t area = grid.size[0] * grid.size[1] * grid.size[2] / grid.size[a];
        const auto filled = [&](std::int64_t count) { return count > area / 5000; };
        const auto first = std::ranges::find_if(counts[a], filled);
        const auto last = std::find_if(counts[a].rbegin(), counts[a].rend(), filled);
        b.first[a] = first == counts[a].end() ? 0 : first - counts[a].begin();
        b.last[a] = first == counts[a].end() ? grid.size[a] - 1 : counts[a].rend() - last - 1;
        b.first[a] = std::max<std::int64_t>(0, b.first[a] - 3);
        b.last[a] = std::min(grid.size[a] - 1, b.last[a] + 3);
    }
    return b;
}

/// The voxels within bounds, a rim of air around them, i mirrored where asked.
std::vector<std::uint16_t> cropped(const Grid& grid, const Bounds& b, const std::array<int, 3>& size,
                                   bool mirror) {
    std::vector<std::uint16_t> out(static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
                                   static_cast<std::size_t>(size[2]));
    const std::int64_t length = b.last[0] - b.first[0] + 1;
    const auto [si, sj, sk] = grid.stride();
    for (std::int64_t k = b.first[2]; k <= b.last[2]; ++k)
        for (std::int64_t j = b.first[1]; j <= b.last[1]; ++j) {
            const std::uint16_t* const from = grid.voxels.data() + b.first[0] * si + j * sj + k * sk;
            std::uint16_t* const to =
                out.data() + 1 + size[0] * ((j - b.first[1] + 1) + size[1] * (k - b.first[2] + 1));
            if (mirror)
                std::reverse_copy(from, from + length, to);
            else
                std::copy(from, from + length, to);
        }
    return out;
}

QVector3D asVector(const std::array<double, 3>& v) {
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

double determinant(const volume::Geometry& g) {
    return QVector3D::dotProduct(QVector3D::crossProduct(asVector(g.direction[0]), asVector(g.direction[1])),
                                 asVector(g.direction[2]));
}

/// From the corner of the rim, which lies one voxel before the first along each axis.
QMatrix4x4 placement(const volume::Geometry& g, const Bounds& b, bool mirror) {
    std::array<double, 3> corner{};
    for (std::size_t a = 0; a < 3; ++a)
        corner[a] = static_cast<double>(b.first[a] - 1);
    if (mirror)
        corner[0] = static_cast<double>(b.last[0] + 1);
    QMatrix4x4 m;
    for (int a = 0; a < 3; ++a)
        m.setColumn(a, QVector4D(asVector(g.direction[static_cast<std::size_t>(a)]), 0));
    if (mirror)
        m.setColumn(0, -m.column(0));
    m.setColumn(3, QVector4D(asVector(g.toMillimetres(corner)), 1));
    return m;
}

}  // namespace

std::shared_ptr<const RenderVolume> makeRenderVolume(const volume::Volume& volume,
                                                     const volume::Histogram& histogram,
                                                     const std::atomic<bool>& cancelled) {
    const auto small = volume::downsample(volume, kMostVoxels, {.progress = {}, .cancel = &cancelled});
    if (!small || cancelled)
        return nullptr;
    auto out = std::make_shared<RenderVolume>();
    const volume::Geometry& g = small->geometry();
    out->low = histogram.low;
    out->high = histogram.high > histogram.low ? histogram.high : histogram.low + 1;
    out->hounsfield = volume::looksLikeCt(volume.header());
    out->usual = volume::defaultWindow(volume.header(), histogram);
    // Otsu's threshold parts dark from bright tissue as much as air from tissue; skin begins well below it.
    out->surface =
        out->hounsfield ? kSkinHounsfield : histogram.low + (histogram.otsu() - histogram.low) * 0.5;
    out->factor = static_cast<int>(std::ranges::max(volume::blockSize(volume.geometry(), kMostVoxels)));

    Grid grid = quantised(*small, out->low, out->high);
    for (int pass = 0; pass < kSmoothings; ++pass)
        if (!smooth(grid, cancelled))
            return nullptr;
    const auto surface = static_cast<std::uint16_t>(
        std::clamp((out->surface - out->low) / (out->high - out->low) * 65535, 0.0, 65535.0));
    removeIslands(grid.voxels, grid.size, surface, cancelled);
    const Bounds bounds = contents(grid, surface);
    const bool mirror = determinant(g) < 0;
    for (std::size_t a = 0; a < 3; ++a) {
        out->size[a] = static_cast<int>(bounds.last[a] - bounds.first[a] + 3);
        out->spacing[a] = g.spacing[a];
    }
    out->voxels = cropped(grid, bounds, out->size, mirror);
    out->toPatient = placement(g, bounds, mirror);
    return out;
}

}  // namespace highwater::widgets
