#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/scan/reader/dicom/series.h"
#include "core/volume/volume.h"

/// Where the pictures of a series part lie as a volume: by their positions along the normal of their plane,
/// never by SliceThickness.
///
/// - The distance of slices is the one that all positions are whole multiples of. A position without a
///   picture is a missing slice: it keeps its place, is blank (the volume's lowest value), and a warning
///   names the pictures around it.
/// - Positions that are no multiples (by more than a tenth) are read at their median distance, linear between
///   the pictures around, with a warning.
/// - Pictures shifted in their plane against each other (gantry tilt) are moved to where they belong, linear
///   between pixels, in a volume wide enough for all of them, with a warning that says the angle: voxel axes
///   stay perpendicular and millimetres right.
/// - Several pictures at each position are several volumes: by time, b-value, echo, trigger, acquisition and
///   instance number, in this order.
namespace highwater::scan::reader::dicom {

struct Placed {
    double slice = 0;         ///< a whole number, unless the stack is uneven
    std::size_t picture = 0;  ///< of SeriesPart::pictures
};

struct Stack {
    volume::Geometry geometry;
    bool spacingKnown = true;
    bool uneven = false;
    std::vector<std::vector<Placed>> volumes;  ///< of each its pictures, ascending
    /// Of each picture: how many pixels right of and below the volume's first it begins; empty: none is
    /// shifted.
    std::vector<std::array<double, 2>> shifts;
    std::vector<std::string> warnings;
};

/// Errors: positions that make no stack.
base::Result<Stack> planStack(const Looked& looked, const SeriesPart& part);

/// "0070.dcm", or "picture 12 of brain.dcm".
std::string pictureName(const Looked& looked, const PictureRef& ref);

}  // namespace highwater::scan::reader::dicom
