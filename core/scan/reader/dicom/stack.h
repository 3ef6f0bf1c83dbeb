#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/scan/reader/dicom/series.h"
#include "core/volume/volume.h"

/// Arranges the pictures of a series part as a volume: by their positions along the normal of their plane,
/// never by SliceThickness.
///
/// - The distance between slices is the one of which all positions are whole multiples. A position without a
///   picture is a missing slice: it stays in the volume, is blank (the volume's lowest value), and a warning
///   names the pictures around it.
/// - Positions that are not multiples (by more than a tenth) are resampled at their median distance, by
///   linear interpolation between neighboring pictures, with a warning.
/// - Pictures shifted in their plane against each other (gantry tilt) are moved to their true position, by
///   linear interpolation between pixels, in a volume wide enough for all of them, with a warning that states
///   the angle: voxel axes stay perpendicular and positions in millimeters stay correct.
/// - Several pictures at each position are several volumes: they are distinguished by time, b-value, echo,
///   trigger, acquisition and instance number, in this order.
namespace highwater::scan::reader::dicom {

struct Placed {
    double slice = 0;         ///< a whole number, unless the stack is uneven
    std::size_t picture = 0;  ///< index into SeriesPart::pictures
};

struct Stack {
    volume::Geometry geometry;
    bool spacingKnown = true;
    bool uneven = false;
    std::vector<std::vector<Placed>> volumes;  ///< the pictures of each volume, ascending by slice
    /// For each picture, how many pixels right of and below the volume's first pixel it begins; empty if none
    /// is shifted.
    std::vector<std::array<double, 2>> shifts;
    std::vector<std::string> warnings;
};

/// Plans the stack. Error if the positions do not make a stack.
base::Result<Stack> planStack(const Looked& looked, const SeriesPart& part);

/// "0070.dcm", or "picture 12 of brain.dcm".
std::string pictureName(const Looked& looked, const PictureRef& ref);

}  // namespace highwater::scan::reader::dicom
