#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

/// A volume as values. Voxels are stored with i fastest, then j, then k (so that a tensor's D, H, W are k, j,
/// i).
namespace highwater::volume {

enum class VoxelType { U8, I8, U16, I16, U32, I32, F32, F64 };
base::Bytes voxelBytes(VoxelType type);
std::string_view voxelTypeName(VoxelType type);  ///< "uint8", "int16", "float32", ...

/// Where voxels lie in the patient. Millimetres, RAS+ (positive x is the patient's right, y anterior,
/// z superior), as NIfTI has it.
struct Geometry {
    std::array<std::int64_t, 3> size{};      ///< i, j, k
    std::array<double, 3> spacing{1, 1, 1};  ///< mm, > 0
    std::array<double, 3> origin{};          ///< mm, the centre of voxel (0, 0, 0)
    std::array<std::array<double, 3>, 3> direction{
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< direction[axis] = unit vector of that voxel axis

    std::int64_t voxels() const { return size[0] * size[1] * size[2]; }
    std::array<double, 3> toMillimetres(const std::array<double, 3>& ijk) const;
    std::array<double, 3> toIndex(const std::array<double, 3>& mm) const;
    /// Three letters, the direction in which each voxel axis grows: "RAS", "LPS", "PIR", ...
    std::string orientation() const;
    bool operator==(const Geometry&) const = default;
};

/// All facts about a volume except its voxels; travels as JSON (volume_header.h).
struct Header {
    std::string format;  ///< "NIfTI-1", "NIfTI-1 (gzip)", "phantom", ...
    Geometry geometry;
    VoxelType type = VoxelType::I16;  ///< as handed over; native byte order
    std::string pixelType;            ///< as in the file: "int16", ...
    int channels = 1;
    int volumes = 1;                    ///< of a 4D file; one of them is handed over
    double slope = 1, intercept = 0;    ///< real value = stored * slope + intercept
    double min = 0, max = 0, mean = 0;  ///< real values, finite voxels only
    bool spacingKnown = true;           ///< false: the file gives none, spacing is 1 and said to be unknown
    std::vector<std::string> warnings;  ///< one line each, for the user
    bool operator==(const Header&) const = default;
};

/// A header with its voxels in a read-only mapping. Cheap to copy (shared). Values through `at` and `row` are
/// real values (slope and intercept applied).
class Volume {
public:
    Volume() = default;
    Volume(Header header, std::shared_ptr<const std::byte> voxels, int fd = -1);

    bool empty() const { return !voxels_; }
    const Header& header() const { return header_; }
    const Geometry& geometry() const { return header_.geometry; }
    const std::byte* data() const { return voxels_.get(); }
    double at(std::int64_t i, std::int64_t j, std::int64_t k) const;  ///< inside only
    /// The file descriptor behind the mapping (for handing it to another process), or -1.
    int fd() const { return fd_; }

private:
    Header header_;
    std::shared_ptr<const std::byte> voxels_;
    int fd_ = -1;
};

/// The handover file: magic "HWVOLUM1", u64 length of the JSON header, the JSON, zeros to a multiple of 4096,
/// voxels. Maps it read-only; refuses a file whose length does not match its header.
base::Result<Volume> mapVolume(int fd, std::string_view name);
base::Result<Volume> mapVolumeFile(const std::string& path);

/// The real values of box [start, start + extent) of a volume as float, i fastest. Outside reads as
/// `outside`.
void extractPatch(const Volume& volume, const std::array<std::int64_t, 3>& start,
                  const std::array<std::int64_t, 3>& extent, float outside, float* out);

}  // namespace highwater::volume
