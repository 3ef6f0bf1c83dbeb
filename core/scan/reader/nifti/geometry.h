#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/reader/nifti/header.h"
#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// Where the voxels lie, and what the user should know about it.
struct NiftiGeometry {
    volume::Geometry geometry;
    bool spacingKnown = true;
    std::vector<std::string> warnings;
};

/// The sform where it is there and has right angles; the qform where there is no sform or it is sheared; else
/// the spacing alone. Refuses numbers that are not finite, a singular sform and a sheared one without a
/// qform. Formulas: nifti1.h, methods 1 to 3.
base::Result<NiftiGeometry> niftiGeometry(const NiftiHeader& header, const std::array<std::int64_t, 3>& size);

}  // namespace highwater::scan::reader
