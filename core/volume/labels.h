#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/volume/volume.h"

/// Label maps: volumes of whole numbers, each of which identifies a structure; 0 is the background.
namespace highwater::volume {

struct LabelCount {
    std::int64_t value = 0;                ///< not 0
    std::int64_t voxels = 0;               ///< number of voxels with this value
    std::array<std::int64_t, 3> inside{};  ///< a voxel with this value: the middle of its longest row
    bool operator==(const LabelCount&) const = default;
};

/// A volume with more distinct values is not a label map: FreeSurfer's finest parcellation has about 200.
inline constexpr std::size_t kMostLabels = 1000;

/// Counts the voxels of each label except 0, in ascending order of the values. Reads the whole volume, so
/// call it from a worker thread. Errors: a value is not a whole number of 32 bits ("is no label map: voxel 3,
/// 4, 5 has the value 0.5; labels are whole numbers"), there are more than kMostLabels, "cancelled". They do
/// not name the volume.
base::Result<std::vector<LabelCount>> countLabels(const Volume& volume,
                                                  const std::atomic<bool>* cancel = nullptr);

/// The voxel at a position in mm; std::nullopt outside the volume.
std::optional<std::array<std::int64_t, 3>> voxelAt(const Geometry& geometry, const std::array<double, 3>& mm);
/// The volume of one voxel in mm³; its edges need not be perpendicular.
double voxelVolume(const Geometry& geometry);
/// The distance in mm between two positions in voxels i, j, k, fractions allowed.
double distance(const Geometry& geometry, const std::array<double, 3>& from, const std::array<double, 3>& to);

}  // namespace highwater::volume
