#pragma once

#include <optional>
#include <vector>

/// Computes the distance between slices from their positions.
namespace highwater::scan::reader::dicom {

struct Steps {
    double step = 0;             ///< mm
    bool even = true;            ///< false: no common step explains the positions
    std::vector<double> slices;  ///< each position in steps from the first; whole numbers if `even`
    double worst = 0;            ///< mm, the largest distance of a position from its whole slice, if `even`
};

/// `positions`: mm, at least two, strictly ascending. The result is even if all positions lie within a tenth
/// of a step; otherwise the step is the median distance. Returns std::nullopt if that would make many more
/// slices than there are pictures.
std::optional<Steps> findSteps(const std::vector<double>& positions);

/// Returns the slope of y over x by least squares; 0 if x does not vary.
double slopeOf(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace highwater::scan::reader::dicom
