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

/// `positions`: mm, at least two, strictly ascending; rounding may have changed the distance of any two by
/// `rounding` mm. The result is even if all positions are within a tenth of a step, or within the rounding;
/// otherwise the step is the median distance. Returns std::nullopt if that would give many more slices than
/// there are pictures.
std::optional<Steps> findSteps(const std::vector<double>& positions, double rounding = 0);
/// The same with a known step, if most positions may have no picture.
std::optional<Steps> stepsOf(const std::vector<double>& positions, double step, double rounding);

/// Returns 0.1 or 0.01 if all values are multiples of it, which means that they were rounded. 0 if they are
/// whole numbers, or have more digits. Programs that round positions to 0.1 mm may do so from a position with
/// more digits, so the values are differences of positions.
double roundingOf(const std::vector<double>& values);

/// Returns the slope of y over x by least squares; 0 if x does not vary.
double slopeOf(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace highwater::scan::reader::dicom
