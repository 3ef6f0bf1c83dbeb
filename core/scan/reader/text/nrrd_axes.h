#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/scan/reader/text/nrrd_header.h"

namespace highwater::scan::reader {

/// What the axes of a NRRD file are. Axes of size 1 that are not in space are left out.
struct NrrdAxes {
    std::vector<std::size_t> space;      ///< one to three, fastest first
    std::optional<std::size_t> volumes;  ///< the one that counts volumes
    bool guessed = false;                ///< nothing says which axis counts volumes; it is the last
};

/// By the space directions where they are there, else by the kinds. Refuses colours, complex numbers and
/// matrices, more than three axes in space and more than one that is not.
base::Result<NrrdAxes> nrrdAxes(const NrrdHeader& header);

/// Where the voxels lie, in RAS+ millimetres, into `out`, whose size must be set. Refuses sheared axes.
base::Status placeNrrd(const NrrdHeader& header, const NrrdAxes& axes, volume::Header& out);

}  // namespace highwater::scan::reader
