#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/reader/bytes/stored_type.h"
#include "core/volume/volume.h"

/// Shared by all formats except DICOM: a header, and all voxels in one piece, possibly packed.
namespace highwater::scan::reader {

enum class Packing { None, Gzip, Zlib };

/// Where the voxels are, according to a checked header. There are two steps: first the data (a part of a
/// file, to be unpacked if it is packed), then the voxels within that data.
struct RawLayout {
    volume::Header header;  ///< without statistics
    std::string dataFile;   ///< a path; empty if it is the file with the header
    Packing packing = Packing::None;
    base::Bytes dataFrom = 0;    ///< offset of the data in its file
    base::Bytes dataBytes = -1;  ///< length of the data in the file; -1: up to the file's end
    bool atEnd = false;          ///< not packed, and the voxels are the last bytes of the file
    bool followed = false;       ///< the data after the voxels belongs to the format and is not read

    base::Bytes firstVoxel = 0;   ///< offset of the voxels in the (unpacked) data
    base::Bytes volumeBytes = 0;  ///< bytes of one volume
    base::Bytes allBytes = 0;     ///< bytes of all volumes
    base::Bytes runBytes = 0;  ///< volumes are interleaved in pieces of this size; if it is volumeBytes, they
                               ///< follow one another
    bool swapped = false;      ///< bytes must be reversed in each voxel
    Conversion conversion = Conversion::Copy;
    base::Bytes voxelBytes = 0;  ///< bytes of one voxel

    /// The first bytes of the unpacked data, if the header was read from it; otherwise empty.
    std::vector<std::byte> beginning;
};

/// Computes the remaining fields from the header's size, the number of volumes and the type. Error if a size
/// is below 1 or above 2^31 - 1, or if there are more bytes than any file can have.
base::Status setVoxels(RawLayout& layout, const StoredType& type, std::int64_t volumes);

/// Error, with both numbers, if data of `bytes` (unpacked) is too short for its header. If it is too long,
/// adds a warning to the header.
base::Status checkLength(RawLayout& layout, base::Bytes bytes);

/// Error if packed data of `packed` bytes cannot hold as many bytes as the header promises.
base::Status checkCanHold(const RawLayout& layout, base::Bytes packed);

/// Error, naming the range, if the file does not have this volume number.
base::Status checkVolumeIndex(const RawLayout& layout, std::int64_t volume);

}  // namespace highwater::scan::reader
