#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/scan/reader/nifti_header.h"
#include "core/scan/reader/raw_layout.h"

namespace highwater::scan::reader {

/// Checks dimensions, voxel type, offset and geometry of a NIfTI-1 or Analyze 7.5 header, before anything is
/// allocated. Errors do not name the file.
base::Result<RawLayout> niftiLayout(const NiftiHeader& header);

/// The header, whose first 348 bytes are `bytes`, as that of a file of its own, with which other programs can
/// be asked about the place; empty where it has neither sform nor qform.
std::string niftiPlaceText(const NiftiHeader& header, std::string_view bytes);

}  // namespace highwater::scan::reader
