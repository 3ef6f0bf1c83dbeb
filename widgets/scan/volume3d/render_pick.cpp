#include "widgets/scan/volume3d/render_pick.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/scan/volume3d/render_volume.h"

namespace highwater::widgets {
namespace {

constexpr double kSurface = 0.5, kVisible = 0.02;  // fractions of the light

/// Samples one volume at many positions.
class Sampler {
public:
    explicit Sampler(const RenderVolume& volume) : v_(volume), toVoxels_(volume.toPatient.inverted()) {}

    QVector3D voxel(const QVector3D& mm) const {
        const QVector3D along = toVoxels_.map(mm);
        return along / QVector3D(static_cast<float>(v_.spacing[0]), static_cast<float>(v_.spacing[1]),
                                 static_cast<float>(v_.spacing[2]));
    }

    double value(const QVector3D& mm) const {
        const QVector3D at = voxel(mm);
        std::array<std::int64_t, 3> base{};
        std::array<double, 3> share{};
        for (std::size_t a = 0; a < 3; ++a) {
            const double x = at[static_cast<int>(a)];
            if (!(x >= 0) || x > v_.size[a] - 1) {
                return v_.low;
            }
            base[a] = std::min<std::int64_t>(static_cast<std::int64_t>(x), v_.size[a] - 2);
            share[a] = x - static_cast<double>(base[a]);
        }
        double level = 0;
        for (unsigned corner = 0; corner < 8; ++corner) {
            double weight = 1;
            std::array<std::int64_t, 3> n = base;
            for (unsigned a = 0; a < 3; ++a) {
                const bool far = (corner >> a & 1U) != 0;
                weight *= far ? share[a] : 1 - share[a];
                n[a] += far;
            }
            level +=
                weight * v_.voxels[static_cast<std::size_t>(n[0] + v_.size[0] * (n[1] + v_.size[1] * n[2]))];
        }
        return v_.low + level / 65535 * (v_.high - v_.low);
    }

private:
    const RenderVolume& v_;
    QMatrix4x4 toVoxels_;
};

/// The part of a ray inside the grid.
RaySpan throughBox(const RenderVolume& v, const Ray& ray) {
    const QMatrix4x4 inverse = v.toPatient.inverted();
    const QVector3D from = inverse.map(ray.from), towards = inverse.mapVector(ray.towards);
    ClipPlanes faces;
    for (int a = 0; a < 3; ++a) {
        QVector3D normal;
        normal[a] = 1;
        const auto n = static_cast<std::size_t>(a);
        faces.emplace_back(normal, 0.0F);
        faces.emplace_back(-normal, static_cast<float>((v.size[n] - 1) * v.spacing[n]));
    }
    return clipped({0, std::numeric_limits<float>::max()}, from, towards, faces);
}

}  // namespace

double valueAt(const RenderVolume& volume, const QVector3D& mm) {
    return Sampler(volume).value(mm);
}

std::optional<QVector3D> firstSurface(const RenderVolume& volume, const Look& look, const Ray& ray,
                                      const ClipPlanes& planes) {
    const RaySpan span = clipped(throughBox(volume, ray), ray.from, ray.towards, planes);
    if (!(span.from <= span.to)) {
        return std::nullopt;
    }
    const Sampler sampler(volume);
    const double step = volume.rayStep() / 2;
    double light = 1, most = 0, mostAt = span.from;
    for (double t = span.from; t <= span.to; t += step) {
        const double opacity = std::clamp(
            opacityOf(look, sampler.value(ray.from + ray.towards * static_cast<float>(t))), 0.0, 1.0);
        const double taken = light * (1 - std::pow(1 - opacity, step / volume.opacityUnit));
        light -= taken;
        if (taken > most) {
            most = taken;
            mostAt = t;
        }
        if (light <= 1 - kSurface) {
            return ray.from + ray.towards * static_cast<float>(t);
        }
    }
    if (1 - light < kVisible) {
        return std::nullopt;
    }
    return ray.from + ray.towards * static_cast<float>(mostAt);
}

}  // namespace highwater::widgets
