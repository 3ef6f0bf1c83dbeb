#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/scan/reader/bytes/layout.h"
#include "core/scan/reader/nifti/header.h"

namespace highwater::scan::reader {

/// Checks dimensions, voxel type, offset and geometry of a NIfTI or Analyze 7.5 header before anything is
/// allocated. Errors do not name the file.
base::Result<RawLayout> niftiLayout(const NiftiHeader& header);

/// Is named .hdr or .hdr.gz, in small or capital letters.
bool namedHdr(const std::string& path);

/// The other file of a .hdr/.img pair: of the same name, and of two such (one of them .gz) the one that is
/// packed as `path` is. Where there is none, the name it should have; nothing where `path` is named
/// otherwise.
std::optional<std::string> pairedFile(const std::string& path);

}  // namespace highwater::scan::reader
