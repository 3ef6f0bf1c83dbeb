#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/volume/vector.h"
#include "core/volume/volume.h"

/// What the formats' ways of saying where voxels lie have in common.
namespace highwater::scan::reader {

using volume::dot, volume::Vector;

inline constexpr double kMostPosition = 1e9;  ///< mm; further away, or not finite, is no position

bool plausibleSpacing(double millimetres);  ///< 1e-6 to 1e6

/// Steps from voxel to voxel, in millimetres, as unit vectors and spacing.
struct Axes {
    std::array<Vector, 3> direction{};
    Vector spacing{};
    bool singular = false;                         ///< an axis without a length, or two that are parallel
    double shear = 0;                              ///< the cosine that is furthest from a right angle
    bool sheared() const { return shear > 0.02; }  ///< 1.15 degrees: a tilt; less is careless arithmetic
    bool skewed() const { return shear > 1e-4; }   ///< rounding in float32 stays far below
    double degrees() const;                        ///< of `shear`, off a right angle
};
Axes axesOf(const std::array<Vector, 3>& steps);

/// Puts the axes into `header`, with a warning where they are not quite at right angles. Refuses singular and
/// sheared ones; `what` names them in messages: "the space directions".
base::Status placeAxes(const Axes& axes, std::string_view what, volume::Header& header);

/// The third of three axes where a file has only two.
Vector perpendicular(const Vector& a, const Vector& b);

/// A number of a header for a message: "0.5", "not a number", "infinite".
std::string numberText(double value);

}  // namespace highwater::scan::reader
