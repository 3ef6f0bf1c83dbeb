#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/reader/raw/stored_type.h"
#include "core/volume/volume.h"

/// What all formats but DICOM have in common: a header, and voxels in one piece, packed or not.
namespace highwater::scan::reader {

enum class Packing { None, Gzip, Zlib };

/// Where a checked header says the voxels are. Two steps lead to them: the data (a part of a file, unpacked
/// where it is packed), and the voxels in that data.
struct RawLayout {
    volume::Header header;  ///< without statistics
    std::string dataFile;   ///< a path; empty: the file that has the header
    Packing packing = Packing::None;
    base::Bytes dataFrom = 0;    ///< where the data begins in its file
    base::Bytes dataBytes = -1;  ///< as it lies in the file; -1: up to the file's end
    bool atEnd = false;          ///< not packed, and the voxels are the file's last bytes

    base::Bytes firstVoxel = 0;   ///< where voxels begin in the (unpacked) data
    base::Bytes volumeBytes = 0;  ///< of one volume
    base::Bytes allBytes = 0;     ///< of all volumes
    base::Bytes runBytes = 0;  ///< volumes take turns in pieces of this size; volumeBytes: one after another
    bool swapped = false;      ///< bytes must be reversed in each voxel
    Conversion conversion = Conversion::Copy;
    base::Bytes voxelBytes = 0;  ///< of one voxel

    /// What the unpacked data began with when the header was read from it; empty where it was not.
    std::vector<std::byte> beginning;
};

/// Fills in everything that follows from the header's size and number of volumes and from the type. Refuses
/// sizes below 1 or above 2^31 - 1 and more bytes than any file has.
base::Status setVoxels(RawLayout& layout, const StoredType& type, std::int64_t volumes);

/// Refuses data of `bytes` (unpacked) that is too short for its header, with both numbers; warns in the
/// header when it is too long.
base::Status checkLength(RawLayout& layout, base::Bytes bytes);

/// Refuses packed data of `packed` bytes that cannot become as many as the header promises.
base::Status checkCanHold(const RawLayout& layout, base::Bytes packed);

/// Refuses a volume number that the file does not have; names the range.
base::Status checkVolumeIndex(const RawLayout& layout, std::int64_t volume);

}  // namespace highwater::scan::reader
