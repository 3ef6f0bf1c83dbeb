#pragma once

#include <string>

#include "core/base/result.h"
#include "core/scan/reader/raw/layout.h"
#include "core/scan/reader/text/nrrd_header.h"

namespace highwater::scan::reader {

/// Checks a NRRD header as a whole: which axes are in space and which one counts volumes, the voxels' type,
/// how they are packed and where, and where they lie in the patient. `path` is the header's, for its data
/// file. Errors do not name the file.
base::Result<RawLayout> nrrdLayout(const NrrdHeader& header, const std::string& path);

}  // namespace highwater::scan::reader
