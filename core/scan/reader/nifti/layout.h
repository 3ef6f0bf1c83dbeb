#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/scan/reader/bytes/layout.h"
#include "core/scan/reader/nifti/header.h"

namespace highwater::scan::reader {

/// Checks dimensions, voxel type, offset and geometry of a NIfTI or Analyze 7.5 header before anything is
/// allocated. Errors do not name the file.
base::Result<RawLayout> niftiLayout(const NiftiHeader& header);

/// Whether the name ends in .hdr or .hdr.gz, in lower or upper case.
bool namedHdr(const std::string& path);

/// The other file of a .hdr/.img pair: the one with the same name; if there are two (one of them .gz), the
/// one that is packed like `path`. If there is none, the name that it should have; std::nullopt if `path` is
/// not named .hdr or .img.
std::optional<std::string> pairedFile(const std::string& path);

}  // namespace highwater::scan::reader
