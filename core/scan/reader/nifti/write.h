#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// Returns the 352 bytes before the voxels of an int16 .nii in native byte order. sform and qform contain the
/// same geometry. The geometry's axes must be perpendicular; sizes 1 to 32767.
base::Result<std::vector<std::byte>> niftiBeginning(const volume::Geometry& geometry,
                                                    const std::string& description);

/// Writes int16 voxels as .nii.gz: to a temporary file in the folder of `path`, which is then renamed to
/// `path`. Errors name the file.
base::Status writeNiftiGzip(const std::string& path, const volume::Geometry& geometry,
                            const std::vector<std::int16_t>& voxels, const std::string& description);

}  // namespace highwater::scan::reader
