#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/volume/vector.h"
#include "core/volume/volume.h"

/// How the formats describe the position of voxels: shared code.
namespace highwater::scan::reader {

using volume::dot, volume::Vector;

inline constexpr double kMostPosition = 1e9;  ///< mm; a position beyond this, or not finite, is invalid

bool plausibleSpacing(double millimeters);  ///< whether it is within 1e-6 to 1e6

/// The steps from voxel to voxel, in millimeters, split into unit vectors and spacing.
struct Axes {
    std::array<Vector, 3> direction{};
    Vector spacing{};
    bool singular = false;                         ///< an axis has no length, or two are parallel
    double shear = 0;                              ///< the largest cosine between two axes (0: right angles)
    bool sheared() const { return shear > 0.02; }  ///< 1.15 degrees: a real tilt; less is inexact arithmetic
    bool skewed() const { return shear > 1e-4; }   ///< rounding in float32 stays far below this
    double degrees() const;                        ///< the deviation from a right angle that corresponds to
                                                   ///< `shear`
};
Axes axesOf(const std::array<Vector, 3>& steps);

/// Puts the axes into `header`, with a warning if they are not quite at right angles. Error if they are
/// singular or sheared. `what` names them in messages: "the space directions".
base::Status placeAxes(const Axes& axes, std::string_view what, volume::Header& header);

/// Returns the third axis for a file that has only two.
Vector perpendicular(const Vector& a, const Vector& b);

/// Formats a number from a header for a message: "0.5", "not a number", "infinite".
std::string numberText(double value);

}  // namespace highwater::scan::reader
