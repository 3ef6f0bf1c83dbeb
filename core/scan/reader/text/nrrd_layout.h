#pragma once

#include <string>

#include "core/base/result.h"
#include "core/scan/reader/raw/layout.h"
#include "core/scan/reader/text/nrrd_header.h"

namespace highwater::scan::reader {

/// Checks a NRRD header as a whole: which axes are spatial and which one counts volumes, the voxels' type,
/// where they are and how they are packed, and their position in the patient. `path` is the header's path,
/// used to find its data file. Errors do not name the file.
base::Result<RawLayout> nrrdLayout(const NrrdHeader& header, const std::string& path);

}  // namespace highwater::scan::reader
