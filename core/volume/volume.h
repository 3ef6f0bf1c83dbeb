#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

/// A volume: voxels and their geometry. Voxels are stored with i fastest, then j, then k (so a tensor's D, H,
/// W are k, j, i).
namespace highwater::volume {

enum class VoxelType { U8, I8, U16, I16, U32, I32, F32, F64 };
base::Bytes voxelBytes(VoxelType type);
std::string_view voxelTypeName(VoxelType type);  ///< "uint8", "int16", "float32", ...

/// The position of voxels in the patient. Millimeters, RAS+ (positive x is the patient's right, y anterior, z
/// superior), as in NIfTI.
struct Geometry {
    std::array<std::int64_t, 3> size{};            ///< i, j, k
    std::array<double, 3> spacing{1, 1, 1};        ///< mm, > 0
    std::array<double, 3> origin{};                ///< mm, center of voxel (0, 0, 0)
    std::array<std::array<double, 3>, 3> direction{/// direction[axis] is the unit vector of that voxel axis.
                                                   {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

    std::int64_t voxels() const { return size[0] * size[1] * size[2]; }
    std::array<double, 3> toMillimeters(const std::array<double, 3>& ijk) const;
    std::array<double, 3> toIndex(const std::array<double, 3>& mm) const;
    /// Returns three letters, the direction of each voxel axis: "RAS", "LPS", "PIR", ...
    std::string orientation() const;
    bool operator==(const Geometry&) const = default;
};

/// All information about a volume except its voxels. It is passed between processes as JSON
/// (volume_header.h).
struct Header {
    std::string format;  ///< "NIfTI-1", "NIfTI-1 (gzip)", "phantom", ...
    Geometry geometry;
    VoxelType type = VoxelType::I16;  ///< type of the voxels here, not in the file; native byte order
    std::string pixelType;            ///< type in the file: "int16", ...
    int channels = 1;
    int volumes = 1;                    ///< number of volumes in a 4D file; a Volume contains one of them
    double slope = 1, intercept = 0;    ///< real value = stored * slope + intercept
    double min = 0, max = 0, mean = 0;  ///< real values, finite voxels only
    bool spacingKnown = true;           ///< false: the file contains no spacing; spacing is then 1
    std::vector<std::string> warnings;  ///< one line each, for the user
    bool operator==(const Header&) const = default;
};

/// A header with its voxels in a read-only mapping. Cheap to copy (shared). `at` returns real values (slope
/// and intercept applied).
class Volume {
public:
    Volume() = default;
    Volume(Header header, std::shared_ptr<const std::byte> voxels, int fd = -1);

    bool empty() const { return !voxels_; }
    const Header& header() const { return header_; }
    const Geometry& geometry() const { return header_.geometry; }
    const std::byte* data() const { return voxels_.get(); }
    double at(std::int64_t i, std::int64_t j, std::int64_t k) const;  ///< the position must be inside
    /// The file descriptor of the mapping (for passing it to another process), or -1.
    int fd() const { return fd_; }

private:
    Header header_;
    std::shared_ptr<const std::byte> voxels_;
    int fd_ = -1;
};

/// Maps a handover file read-only: magic "HWVOLUM1", u64 length of the JSON header, the JSON, zeros to a
/// multiple of 4096, voxels. Error if the file's length does not match its header.
base::Result<Volume> mapVolume(int fd, std::string_view name);
base::Result<Volume> mapVolumeFile(const std::string& path);

/// Writes the real values of the box [start, start + extent) of a volume as float, i fastest. Positions
/// outside the volume have the value `outside`.
void extractPatch(const Volume& volume, const std::array<std::int64_t, 3>& start,
                  const std::array<std::int64_t, 3>& extent, float outside, float* out);

}  // namespace highwater::volume
