#pragma once

#include <optional>
#include <vector>

/// The distance of slices from where they are.
namespace highwater::scan::reader::dicom {

struct Steps {
    double step = 0;             ///< mm
    bool even = true;            ///< false: no step explains the positions
    std::vector<double> slices;  ///< of each position, in steps from the first; whole where even
    double worst = 0;            ///< mm, how far a position lies from its whole slice, where even
};

/// `positions`: mm, at least two, strictly ascending. Even within a tenth of a step; else the median
/// distance. Nothing where that would make many more slices than there are pictures.
std::optional<Steps> findSteps(const std::vector<double>& positions);

/// The slope of y over x, least squares; 0 where x does not vary.
double slopeOf(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace highwater::scan::reader::dicom
