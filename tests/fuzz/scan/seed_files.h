#pragma once

#include <cstddef>
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

    const std::string& voxelFile() const { return voxelsApart ? companionBytes : bytes; }
    std::string& voxelFile() { return voxelsApart ? companionBytes : bytes; }
};

/// Those that the tests make: NIfTI (both byte orders, 4D, gzip, pair), Analyze, NRRD, MetaImage, DICOM.
std::vector<SeedFile> madeSeeds();
/// Files of the folder of real scans, none over `most` bytes; none where there is no such folder.
std::vector<SeedFile> realSeeds(std::size_t most);

/// Whether zlib, which is not what reads scans here, finds the packed data whole.
bool zlibAccepts(const SeedFile& file);

}  // namespace highwater::fuzz
