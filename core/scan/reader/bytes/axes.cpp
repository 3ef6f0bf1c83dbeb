#include "core/scan/reader/bytes/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::scan::reader {
namespace {

constexpr double kLeastSpacing = 1e-6;  // mm; a spacing below this, or above the next constant, is
                                        // implausible
constexpr double kMostSpacing = 1e6;

}  // namespace

bool plausibleSpacing(double millimeters) {
    return std::isfinite(millimeters) && millimeters >= kLeastSpacing && millimeters <= kMostSpacing;
}

double Axes::degrees() const {
    return std::asin(std::min(shear, 1.0)) * 180 / 3.14159265358979323846;
}

Axes axesOf(const std::array<Vector, 3>& steps) {
    Axes out;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double length = std::sqrt(dot(steps[axis], steps[axis]));
        out.singular = out.singular || !plausibleSpacing(length);
        out.spacing[axis] = length;
        for (std::size_t c = 0; c < 3; ++c) {
            out.direction[axis][c] = length > 0 ? steps[axis][c] / length : 0;
        }
    }
    const auto& d = out.direction;
    out.shear = std::max({std::abs(dot(d[0], d[1])), std::abs(dot(d[1], d[2])), std::abs(dot(d[0], d[2]))});
    out.singular = out.singular || out.shear > 0.999;
    return out;
}

base::Status placeAxes(const Axes& axes, std::string_view what, volume::Header& header) {
    if (axes.singular) {
        return base::Error{fmt::format("{} are singular (an axis has no length, or two are parallel)", what)};
    }
    if (axes.sheared()) {
        return base::Error{fmt::format(
            "{} are sheared by {:.1f} degrees (a tilted gantry?); resample it to right angles first", what,
            axes.degrees())};
    }
    if (axes.skewed()) {
        header.warnings.push_back(
            fmt::format("{} are {:.2g} degrees off a right angle", what, axes.degrees()));
    }
    header.geometry.direction = axes.direction;
    header.geometry.spacing = axes.spacing;
    return {};
}

Vector perpendicular(const Vector& a, const Vector& b) {
    Vector out{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double length = std::sqrt(dot(out, out));
    for (double& component : out) {
        component = length > 0 ? component / length : 0;
    }
    return out;
}

std::string numberText(double value) {
    if (std::isnan(value)) {
        return "not a number";
    }
    return std::isinf(value) ? "infinite" : fmt::format("{:.6g}", value);
}

}  // namespace highwater::scan::reader
