#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Small valid files of every format, generated here, and the real ones that are available.
namespace highwater::fuzz {

enum class Packing { None, Gzip, Zlib };

struct SeedFile {
    std::string format;  ///< "NIfTI-1", ...: rows of the summary
    std::string name;    ///< the file to open, "a.nhdr"
    std::string bytes;
    std::string companion;  ///< the name of its second file; empty if it has none
    std::string companionBytes;
    /// Whether the second file contains the voxels; otherwise the first one does.
    bool voxelsApart = false;
    /// The minimum number of bytes of the file with the voxels: with fewer, it is truncated.
    std::size_t needed = 0;
    Packing packing = Packing::None;
    std::size_t packedFrom = 0;  ///< where the compressed data starts in the file with the voxels
    std::string coded;           ///< the data for a codec, if the file contains any
    std::function<std::string(const std::string&)> with;  ///< the file with another `coded`

    const std::string& voxelFile() const { return voxelsApart ? companionBytes : bytes; }
    std::string& voxelFile() { return voxelsApart ? companionBytes : bytes; }
};

/// The files that the tests generate: NIfTI (both byte orders, 4D, gzip, pair), Analyze, NRRD, MetaImage,
/// DICOM (every supported transfer syntax).
std::vector<SeedFile> madeSeeds();
/// Files of the folder of real scans, of at most `most` bytes; none if there is no such folder.
std::vector<SeedFile> realSeeds(std::size_t most);

constexpr int kGzipBits = 31, kZlibBits = 15, kDeflateBits = -15;
/// The data of one of these compressed with zlib.
std::string packed(const std::string& bytes, int windowBits);

/// Whether zlib, which is not used for reading scans, finds the compressed data intact.
bool zlibAccepts(const SeedFile& file);

}  // namespace highwater::fuzz
