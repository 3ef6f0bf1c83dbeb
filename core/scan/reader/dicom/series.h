#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/look.h"

/// Pictures that belong together: of one series, and on one grid.
namespace highwater::scan::reader::dicom {

struct PictureRef {
    std::size_t file = 0, picture = 0;
};

struct SeriesPart {
    std::string id;  ///< Series::id
    std::string uid;
    std::vector<PictureRef> pictures;   ///< none where there is a problem
    std::vector<std::size_t> files;     ///< in the order of names
    std::vector<std::string> warnings;  ///< of its files, and those that could not be read
    std::string problem;
};

/// By series number, then id. Copies (the same instance twice) are left out with a warning. The grid with the
/// most pictures of a UID has the plain id.
std::vector<SeriesPart> groupSeries(const Looked& looked);

/// For lists of warnings: each once, at most 30.
void addOnce(std::vector<std::string>& lines, const std::string& line);

}  // namespace highwater::scan::reader::dicom
