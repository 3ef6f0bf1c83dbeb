#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/reader/axes.h"
#include "core/scan/reader/raw/layout.h"

namespace highwater::scan::reader {

/// The fields of a NRRD header that matter here (teem.sourceforge.net/nrrd/format.html), checked one by one
/// but not against each other. Lists have one entry an axis, or none where the field is missing.
struct NrrdHeader {
    std::size_t bytes =
        0;  ///< up to and with the empty line that ends it; the voxels follow in an attached one
    std::string type, encoding, endian;
    std::string dataFile;  ///< as named; empty: attached
    base::Bytes byteSkip = 0;
    std::vector<std::int64_t> sizes;
    std::vector<std::string> kinds, units;  ///< lower case
    std::vector<double> spacings;
    std::string space;                              ///< lower case; empty where none is named
    std::vector<std::optional<Vector>> directions;  ///< nothing: an axis that is not in space
    std::optional<Vector> origin;
    std::vector<std::string> spaceUnits;  ///< one for each of the space's own axes
};

bool looksLikeNrrd(std::string_view beginning);

/// `text`: the file's beginning, at least its header or kMostHeaderText. Errors do not name the file.
base::Result<NrrdHeader> parseNrrdHeader(std::string_view text);

/// Checks a NRRD header as a whole: which axes are in space and which one counts volumes, the voxels' type,
/// how they are packed and where, and where they lie in the patient. `path` is the header's, for its data
/// file. Errors do not name the file.
base::Result<RawLayout> nrrdLayout(const NrrdHeader& header, const std::string& path);

}  // namespace highwater::scan::reader
