#include <algorithm>
#include <cmath>

#include "core/volume/slice.h"
#include "core/volume/vector.h"
#include "core/volume/volume.h"

namespace highwater::volume {

Vector Geometry::toMillimeters(const Vector& ijk) const {
    Vector mm = origin;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t c = 0; c < 3; ++c) {
            mm[c] += ijk[axis] * spacing[axis] * direction[axis][c];
        }
    }
    return mm;
}

Vector Geometry::toIndex(const Vector& mm) const {
    // Cramer's rule: the axes need not be perpendicular (a sform may be sheared).
    const Vector offset{mm[0] - origin[0], mm[1] - origin[1], mm[2] - origin[2]};
    const double determinant = dot(direction[0], cross(direction[1], direction[2]));
    Vector ijk{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Vector normal = cross(direction[(axis + 1) % 3], direction[(axis + 2) % 3]);
        ijk[axis] = dot(offset, normal) / (determinant * spacing[axis]);
    }
    return ijk;
}

std::array<int, 3> nearestAxes(const Geometry& geometry) {
    std::array<int, 3> order{0, 1, 2};
    std::array<int, 3> best = order;
    double bestSum = -1;
    do {
        double sum = 0;
        for (std::size_t world = 0; world < 3; ++world) {
            sum += std::abs(geometry.direction[static_cast<std::size_t>(order[world])][world]);
        }
        if (sum > bestSum + 1e-9) {
            bestSum = sum;
            best = order;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

std::string Geometry::orientation() const {
    static constexpr char kPositive[] = "RAS";
    static constexpr char kNegative[] = "LPI";
    const auto axes = nearestAxes(*this);
    std::string letters(3, '?');
    for (std::size_t world = 0; world < 3; ++world) {
        const auto axis = static_cast<std::size_t>(axes[world]);
        letters[axis] = direction[axis][world] >= 0 ? kPositive[world] : kNegative[world];
    }
    return letters;
}

}  // namespace highwater::volume
