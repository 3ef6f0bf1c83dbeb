#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/reader/bytes/axes.h"
#include "core/scan/reader/bytes/layout.h"

namespace highwater::scan::reader {

/// The fields of a NRRD header that are used here (teem.sourceforge.net/nrrd/format.html), each checked on
/// its own but not against each other. Lists have one entry per axis; a list is empty if its field is
/// missing.
struct NrrdHeader {
    /// Length of the header, including the empty line that ends it; in an attached header the voxels
    /// follow.
    std::size_t bytes = 0;
    std::string type, encoding, endian;
    std::string dataFile;  ///< as named in the header; empty if the voxels are attached
    base::Bytes byteSkip = 0;
    std::vector<std::int64_t> sizes;
    std::vector<std::string> kinds, units;  ///< lower case
    std::vector<double> spacings;
    std::string space;                              ///< lower case; empty if none is named
    std::vector<std::optional<Vector>> directions;  ///< std::nullopt for an axis that is not spatial
    std::optional<Vector> origin;
    std::vector<std::string> spaceUnits;  ///< one per axis of the space
};

bool looksLikeNrrd(std::string_view beginning);

/// Parses a header. `text`: the file's beginning, at least its header or kMostHeaderText. Errors do not name
/// the file.
base::Result<NrrdHeader> parseNrrdHeader(std::string_view text);

/// Checks a NRRD header as a whole: which axes are spatial and which one counts volumes, the voxels' type,
/// packing and offset, and their position in the patient. `path` is the header's, for its data file. Errors
/// do not name the file.
base::Result<RawLayout> nrrdLayout(const NrrdHeader& header, const std::string& path);

}  // namespace highwater::scan::reader
