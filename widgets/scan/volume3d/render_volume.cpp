#include "widgets/scan/volume3d/render_volume.h"

#include <QVector3D>
#include <algorithm>
#include <cmath>

#include "core/volume/downsample.h"
#include "widgets/scan/volume3d/islands.h"
#include "widgets/scan/volume3d/render_grid.h"

namespace highwater::widgets {
namespace {

constexpr int kSmoothings = 3;
constexpr double kSkinHounsfield = -300;  // between air (-1000) and fat (-100)
constexpr double kMostSamples = 1500;
constexpr double kStepOfUnit = 0.75;

QVector3D asPoint(const std::array<double, 3>& v) {
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

double determinant(const volume::Geometry& g) {
    return QVector3D::dotProduct(QVector3D::crossProduct(asPoint(g.direction[0]), asPoint(g.direction[1])),
                                 asPoint(g.direction[2]));
}

/// Measured from the corner of the rim, one voxel before the first along each axis.
QMatrix4x4 placement(const volume::Geometry& g, const GridBounds& b, bool mirror) {
    std::array<double, 3> corner{};
    for (std::size_t a = 0; a < 3; ++a) {
        corner[a] = static_cast<double>(b.first[a] - 1);
    }
    if (mirror) {
        corner[0] = static_cast<double>(b.last[0] + 1);
    }
    QMatrix4x4 m;
    for (int a = 0; a < 3; ++a) {
        m.setColumn(a, QVector4D(asPoint(g.direction[static_cast<std::size_t>(a)]), 0));
    }
    if (mirror) {
        m.setColumn(0, -m.column(0));
    }
    m.setColumn(3, QVector4D(asPoint(g.toMillimeters(corner)), 1));
    return m;
}

std::uint16_t quantised(double value, const RenderScale& scale) {
    return static_cast<std::uint16_t>(
        std::clamp((value - scale.low) / (scale.high - scale.low) * 65535, 0.0, 65535.0));
}

/// The length in mm of the longest line through a volume.
double diagonalOf(const volume::Geometry& g) {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        sum += std::pow(static_cast<double>(g.size[a]) * g.spacing[a], 2);
    }
    return std::sqrt(sum);
}

}  // namespace

double RenderVolume::diagonal() const {
    return std::hypot((size[0] - 1) * spacing[0], (size[1] - 1) * spacing[1], (size[2] - 1) * spacing[2]);
}

double RenderVolume::rayStep() const {
    return std::max(std::min(std::ranges::min(spacing), kStepOfUnit * opacityUnit),
                    diagonal() / kMostSamples);
}

RenderScale renderScale(const volume::Volume& volume, const volume::Histogram& histogram) {
    RenderScale out;
    out.uniform = !(histogram.high > histogram.low);
    out.low = histogram.low;
    out.high = out.uniform ? out.low + std::max(1.0, std::abs(out.low)) : histogram.high;
    out.hounsfield = volume::looksLikeCt(volume.header());
    out.usual = volume::defaultWindow(volume.header(), histogram);
    // Otsu's threshold may separate dark from bright tissue rather than air from tissue; skin starts well
    // below it.
    out.surface = out.hounsfield ? kSkinHounsfield : histogram.low + (histogram.otsu() - histogram.low) * 0.5;
    out.opacityUnit = std::max(diagonalOf(volume.geometry()) / 250, 1e-9);
    return out;
}

std::shared_ptr<const RenderVolume> makeRenderVolume(const volume::Volume& volume, const RenderScale& scale,
                                                     int most, const std::atomic<bool>& cancelled) {
    auto grid = renderGrid(volume, most, scale.low, scale.high, cancelled);
    if (!grid) {
        return nullptr;
    }
    for (int pass = 0; pass < kSmoothings; ++pass) {
        if (!smoothGrid(*grid, cancelled)) {
            return nullptr;
        }
    }
    const std::uint16_t surface = quantised(scale.surface, scale);
    removeIslands(grid->voxels, grid->size, surface, cancelled);
    if (cancelled) {
        return nullptr;
    }
    const volume::Geometry g = volume::downsampledGeometry(volume.geometry(), most);
    const GridBounds bounds = contentsOf(*grid, surface);
    const bool mirror = determinant(g) < 0;
    cropGrid(*grid, bounds, mirror);

    auto out = std::make_shared<RenderVolume>();
    static_cast<RenderScale&>(*out) = scale;
    for (std::size_t a = 0; a < 3; ++a) {
        out->size[a] = static_cast<int>(grid->size[a]);
    }
    out->spacing = g.spacing;
    out->voxels = std::move(grid->voxels);
    out->toPatient = placement(g, bounds, mirror);
    out->factor = static_cast<int>(std::ranges::max(volume::blockSize(volume.geometry(), most)));
    out->most = most;
    return out;
}

}  // namespace highwater::widgets
