#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/reader/nifti/header.h"
#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// The position of the voxels, and warnings for the user.
struct NiftiGeometry {
    volume::Geometry geometry;
    bool spacingKnown = true;
    std::vector<std::string> warnings;
};

/// Uses the sform if there is one with right angles; the qform if there is no sform or it is sheared;
/// otherwise only the spacing. Error if a number is not finite, the sform is singular, or it is sheared and
/// there is no qform. Formulas: nifti1.h, methods 1 to 3.
base::Result<NiftiGeometry> niftiGeometry(const NiftiHeader& header, const std::array<std::int64_t, 3>& size);

}  // namespace highwater::scan::reader
