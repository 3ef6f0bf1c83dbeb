#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/// Shapes in millimeters for the phantom: signed distances (negative inside) and smooth noise.
namespace highwater::volume::shapes {

struct Point {
    double x = 0, y = 0, z = 0;
};
inline Point operator-(const Point& a, const Point& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline double length(const Point& p) {
    return std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
}

/// Returns the point with x made positive, for shapes that exist on both sides.
inline Point mirrored(const Point& p) {
    return {std::abs(p.x), p.y, p.z};
}

struct Ellipsoid {
    Point center, radii;
};
/// Returns the approximate distance to an ellipsoid's surface; exact on the surface (first order: k0 (k0 - 1)
/// / k1, Quilez 2008).
double distance(const Ellipsoid& shape, const Point& p);
/// Returns distance(shape, p), or `bound` if that is smaller. Most points are far away, and cost no division
/// and no square root.
inline double distanceWithin(const Ellipsoid& shape, const Point& p, double bound) {
    const auto& r = shape.radii;
    const Point q = p - shape.center;
    const double k0Squared =
        q.x * q.x * (1 / (r.x * r.x)) + q.y * q.y * (1 / (r.y * r.y)) + q.z * q.z * (1 / (r.z * r.z));
    // k0 / k1 is between the smallest and the largest radius.
    const double least =
        1 + bound * (bound > 0 ? 1 / std::min({r.x, r.y, r.z}) : 1 / std::max({r.x, r.y, r.z}));
    if (least > 0 && k0Squared > least * least * (1 + 1e-9)) {
        return bound;
    }
    return std::min(bound, distance(shape, p));
}
inline bool inside(const Ellipsoid& shape, const Point& p) {
    const Point q = p - shape.center;
    const double x = q.x / shape.radii.x, y = q.y / shape.radii.y, z = q.z / shape.radii.z;
    return x * x + y * y + z * z < 1;
}

/// Returns the distance to a line from a to b whose radius changes from ra to rb.
double capsule(const Point& p, const Point& a, const Point& b, double ra, double rb);

/// Returns the smaller of two distances, with the crease between the shapes filled over `width` mm.
double smoothUnion(double a, double b, double width);
/// The same for an ellipsoid at p, which is only considered where it is less than `width` farther away than
/// `a`.
inline double smoothUnion(double a, const Ellipsoid& shape, const Point& p, double width) {
    return smoothUnion(a, distanceWithin(shape, p, a + width), width);
}

inline double smoothStep(double from, double to, double x) {
    const double t = std::min(1.0, std::max(0.0, (x - from) / (to - from)));
    return t * t * (3 - 2 * t);
}

/// Smooth noise from -1 to 1: random values on a lattice that repeats after 32 cells, interpolated between
/// its points.
class Noise {
public:
    explicit Noise(std::uint64_t seed);
    double operator()(const Point& p, double cell) const;

private:
    std::vector<float> lattice_;
};

/// Returns the next number of splitmix64 (Steele et al., 2014).
inline std::uint64_t splitMix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

}  // namespace highwater::volume::shapes
