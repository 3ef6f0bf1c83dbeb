#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/scan/reader/text/nrrd_header.h"

namespace highwater::scan::reader {

/// The meaning of a NRRD file's axes. Axes of size 1 that are not spatial are left out.
struct NrrdAxes {
    std::vector<std::size_t> space;      ///< the one to three spatial axes, fastest first
    std::optional<std::size_t> volumes;  ///< the axis that counts volumes
    bool guessed = false;  ///< the file does not say which axis counts volumes; the last one is used
};

/// Finds the axes by the space directions if there are any, otherwise by the kinds. Error for colors, complex
/// numbers and matrices, for more than three spatial axes, and for more than one axis that is not spatial.
base::Result<NrrdAxes> nrrdAxes(const NrrdHeader& header);

/// Writes the voxels' position, in RAS+ millimeters, into `out`, whose size must be set. Error if the axes
/// are sheared.
base::Status placeNrrd(const NrrdHeader& header, const NrrdAxes& axes, volume::Header& out);

}  // namespace highwater::scan::reader
