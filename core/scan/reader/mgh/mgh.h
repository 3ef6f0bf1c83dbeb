#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"
#include "core/scan/reader/bytes/layout.h"

/// FreeSurfer's volumes: .mgh, and packed .mgz.
namespace highwater::scan::reader {

inline constexpr std::size_t kMghHeaderBytes = 284;  ///< the voxels follow

/// Whether the bytes can be the beginning of such a file. There is no magic number: the version, the sizes,
/// the type and the flag before the geometry must be valid.
bool looksLikeMgh(std::span<const std::byte> bytes);

/// Decodes and checks the header (FreeSurfer's MghFormat: big-endian; version, sizes, frames, type, degrees
/// of freedom, a flag, then spacing, three axes and the center in RAS millimeters, as float32). The data
/// after the voxels (the scan's parameters, tags) is not read. Errors do not name the file.
base::Result<RawLayout> mghLayout(std::span<const std::byte> bytes);

}  // namespace highwater::scan::reader
