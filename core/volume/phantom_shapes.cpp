#include "core/volume/phantom_shapes.h"

#include <algorithm>

namespace highwater::volume::shapes {

double distance(const Ellipsoid& shape, const Point& p) {
    const Point q = p - shape.center;
    const Point a{q.x / shape.radii.x, q.y / shape.radii.y, q.z / shape.radii.z};
    const Point b{a.x / shape.radii.x, a.y / shape.radii.y, a.z / shape.radii.z};
    const double k0 = length(a);
    const double k1 = length(b);
    return k1 < 1e-12 ? -std::min({shape.radii.x, shape.radii.y, shape.radii.z}) : k0 * (k0 - 1) / k1;
}

double capsule(const Point& p, const Point& a, const Point& b, double ra, double rb) {
    const Point ab = b - a;
    const Point ap = p - a;
    const double along =
        (ap.x * ab.x + ap.y * ab.y + ap.z * ab.z) / (ab.x * ab.x + ab.y * ab.y + ab.z * ab.z);
    const double t = std::clamp(along, 0.0, 1.0);
    return length({ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z}) - (ra + (rb - ra) * t);
}

double smoothUnion(double a, double b, double width) {
    const double h = std::max(width - std::abs(a - b), 0.0) / width;
    return std::min(a, b) - h * h * width / 4;
}

namespace {
constexpr int kLattice = 32;
}

Noise::Noise(std::uint64_t seed) : lattice_(kLattice * kLattice * kLattice) {
    std::uint64_t state = seed;
    for (float& value : lattice_) {
        value = static_cast<float>(static_cast<double>(splitMix(state) >> 11) * 0x1p-52 - 1);
    }
}

double Noise::operator()(const Point& p, double cell) const {
    const double c[3] = {p.x / cell, p.y / cell, p.z / cell};
    int low[3], high[3];
    double t[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double floor = std::floor(c[axis]);
        const double f = c[axis] - floor;
        t[axis] = f * f * (3 - 2 * f);
        low[axis] = static_cast<int>(floor) & (kLattice - 1);
        high[axis] = (low[axis] + 1) & (kLattice - 1);
    }
    const auto at = [&](int x, int y, int z) {
        return static_cast<double>(lattice_[static_cast<std::size_t>((z * kLattice + y) * kLattice + x)]);
    };
    const auto row = [&](int y, int z) {
        return at(low[0], y, z) + t[0] * (at(high[0], y, z) - at(low[0], y, z));
    };
    const auto plane = [&](int z) { return row(low[1], z) + t[1] * (row(high[1], z) - row(low[1], z)); };
    return plane(low[2]) + t[2] * (plane(high[2]) - plane(low[2]));
}

}  // namespace highwater::volume::shapes
