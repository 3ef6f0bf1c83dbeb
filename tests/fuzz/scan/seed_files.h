#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Small right files of every format, made here, and the real ones that are at hand.
namespace highwater::fuzz {

enum class Packing { None, Gzip, Zlib };

struct SeedFile {
    std::string format;  ///< "NIfTI-1", ...: rows of the summary
    std::string name;    ///< the file that is opened, "a.nhdr"
    std::string bytes;
    std::string companion;  ///< the name of its second file; empty where it has none
    std::string companionBytes;
    /// Whether the second file holds the voxels; else the first does.
    bool voxelsApart = false;
    /// How many bytes of the file with the voxels are needed: any less is truncated.
    std::size_t needed = 0;
    Packing packing = Packing::None;
    std::size_t packedFrom = 0;  ///< where the packed data begins in the file with the voxels
    std::string coded;           ///< what a codec reads, where the file holds such a thing
    std::function<std::string(const std::string&)> with;  ///< the file with another `coded`

    const std::string& voxelFile() const { return voxelsApart ? companionBytes : bytes; }
    std::string& voxelFile() { return voxelsApart ? companionBytes : bytes; }
};

/// Those that the tests make: NIfTI (both byte orders, 4D, gzip, pair), Analyze, NRRD, MetaImage, DICOM
/// (every transfer syntax that is read).
std::vector<SeedFile> madeSeeds();
/// Files of the folder of real scans, none over `most` bytes; none where there is no such folder.
std::vector<SeedFile> realSeeds(std::size_t most);

constexpr int kGzipBits = 31, kZlibBits = 15, kDeflateBits = -15;
/// Packed by zlib, as one of these.
std::string packed(const std::string& bytes, int windowBits);

/// Whether zlib, which is not what reads scans here, finds the packed data whole.
bool zlibAccepts(const SeedFile& file);

}  // namespace highwater::fuzz
