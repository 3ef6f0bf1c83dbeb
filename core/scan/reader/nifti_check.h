#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/reader/nifti_header.h"
#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// How a stored voxel becomes one that is handed over.
enum class Conversion { Copy, Int64ToDouble, UInt64ToDouble };

/// What a checked header promises about the file.
struct NiftiLayout {
    volume::Header header;  ///< without statistics
    bool swapped = false;   ///< bytes must be reversed in each voxel
    Conversion conversion = Conversion::Copy;
    base::Bytes voxelBytes = 0;   ///< of one stored voxel
    base::Bytes firstVoxel = 0;   ///< where voxels begin in the (inflated) file
    base::Bytes volumeBytes = 0;  ///< of one volume, as stored
    base::Bytes allBytes = 0;     ///< of all volumes, as stored
    base::Bytes fileBytes() const { return firstVoxel + allBytes; }
};

/// Checks dimensions, voxel type, offset and geometry, before anything is allocated. Errors do not name the
/// file.
base::Result<NiftiLayout> checkNifti(const NiftiHeader& header);

/// Refuses a file (or inflated data) of `bytes` that is too short for its header, with both numbers; warns in
/// the header when it is too long.
base::Status checkLength(NiftiLayout& layout, base::Bytes bytes);

/// Refuses a volume number that the file does not have; names the range.
base::Status checkVolumeIndex(const NiftiLayout& layout, std::int64_t volume);

}  // namespace highwater::scan::reader
