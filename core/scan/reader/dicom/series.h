#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/look.h"

/// Groups pictures of the same series and grid.
namespace highwater::scan::reader::dicom {

struct PictureRef {
    std::size_t file = 0, picture = 0;
};

struct SeriesPart {
    std::string id;  ///< Series::id
    std::string uid;
    std::vector<PictureRef> pictures;   ///< empty if there is a problem
    std::vector<std::size_t> files;     ///< sorted by name
    std::vector<std::string> warnings;  ///< from its files, and about files that could not be read
    std::string problem;
};

/// Groups the pictures, sorted by series number, then id. Copies (the same instance twice) are left out with
/// a warning. If a UID has several grids, the one with the most pictures has the plain id.
std::vector<SeriesPart> groupSeries(const Looked& looked);

/// Adds a line to a list of warnings: without duplicates, at most kMostWarnings lines and one that says that
/// there are more.
inline constexpr std::size_t kMostWarnings = 1000;
void addOnce(std::vector<std::string>& lines, const std::string& line);

}  // namespace highwater::scan::reader::dicom
