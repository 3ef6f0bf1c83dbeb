#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/reader/dicom_file.h"
#include "core/volume/volume.h"

/// How the pictures of a file are stored, checked against what is there before anything is decoded.
namespace highwater::scan::reader::dicom {

struct Pixels {
    std::int64_t columns = 0, rows = 0, frames = 1;
    int allocated = 16, stored = 16, highBit = 15;  ///< bits
    bool isSigned = false;
    bool monochrome1 = false;
    volume::VoxelType type = volume::VoxelType::U16;  ///< as decoded
    std::int64_t frameBytes() const { return columns * rows * volume::voxelBytes(type); }
    bool operator==(const Pixels&) const = default;
};

/// Why pictures that are whole are not read (colour, video, ...), one line; empty where they are.
std::string unsupportedPixels(const OpenFile& file);

/// Errors say what is missing or impossible: "truncated: the header promises 131072 bytes of voxels, the file
/// has 500".
base::Result<Pixels> pixelsOf(const OpenFile& file);

/// The compressed bytes of every frame: of each the fragments, in order. Errors: too few fragments, ...
base::Result<std::vector<std::vector<Bytes>>> framesOf(const OpenFile& file, const Pixels& pixels);

/// An uncompressed frame in this machine's byte order, only its stored bits, sign extended.
std::vector<std::byte> nativeFrame(const OpenFile& file, const Pixels& pixels, std::int64_t frame);

/// Keeps bits highBit - stored + 1 to highBit of every sample and extends the sign.
void keepStoredBits(const Pixels& pixels, std::span<std::byte> samples);

}  // namespace highwater::scan::reader::dicom
