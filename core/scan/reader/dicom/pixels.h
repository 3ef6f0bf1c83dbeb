#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/scan/reader/dicom/file.h"
#include "core/volume/volume.h"

/// How the pictures of a file are stored, checked against the file's size before anything is decoded.
namespace highwater::scan::reader::dicom {

struct Pixels {
    std::int64_t columns = 0, rows = 0, frames = 1;
    int allocated = 16, stored = 16, highBit = 15;  ///< bits
    bool isSigned = false;
    bool monochrome1 = false;
    volume::VoxelType type = volume::VoxelType::U16;  ///< type after decoding
    std::int64_t frameBytes() const { return columns * rows * volume::voxelBytes(type); }
    bool operator==(const Pixels&) const = default;
};

/// Returns why intact pictures are unsupported (color, video, ...), one line; empty if they are supported.
std::string unsupportedPixels(const OpenFile& file);

/// Reads the description. Errors say what is missing or invalid: "truncated: the header promises 131072 bytes
/// of voxels, the file has 500".
base::Result<Pixels> pixelsOf(const OpenFile& file);

}  // namespace highwater::scan::reader::dicom
