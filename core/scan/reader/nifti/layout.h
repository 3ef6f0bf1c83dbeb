#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/scan/reader/nifti/header.h"
#include "core/scan/reader/raw/layout.h"

namespace highwater::scan::reader {

/// Checks dimensions, voxel type, offset and geometry of a NIfTI-1 or Analyze 7.5 header before anything is
/// allocated. Errors do not name the file.
base::Result<RawLayout> niftiLayout(const NiftiHeader& header);

}  // namespace highwater::scan::reader
