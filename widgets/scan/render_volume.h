#pragma once

#include <QMatrix4x4>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/volume/statistics.h"
#include "core/volume/volume.h"
#include "core/volume/windowing.h"

namespace highwater::widgets {

/// A volume made ready for drawing in 3D: few enough voxels for any GPU, a little smoothed, cropped to what
/// is not air, 16 bits a voxel, voxel axes right-handed (VTK's ray caster is wrong for mirrored ones).
struct RenderVolume {
    std::array<int, 3> size{};               ///< i, j, k; each 3 to 258
    std::array<double, 3> spacing{1, 1, 1};  ///< mm
    QMatrix4x4 toPatient;                    ///< mm along the voxel axes from voxel (0, 0, 0) -> RAS+ mm
    std::vector<std::uint16_t> voxels;       ///< i fastest; 0 is `low`, 65535 is `high`
    double low = 0, high = 1;                ///< real values, low < high
    double surface = 0.5;                    ///< the real value that parts air from what is seen
    bool hounsfield = false;                 ///< values are Hounsfield units
    volume::Window usual;                    ///< the window that the volume opens with
    int factor = 1;                          ///< the longest side, in the scan's voxels, of one of these
};

/// Reads the whole volume (so: on a worker's thread). Null when `cancelled` became true meanwhile.
std::shared_ptr<const RenderVolume> makeRenderVolume(const volume::Volume& volume,
                                                     const volume::Histogram& histogram,
                                                     const std::atomic<bool>& cancelled);

}  // namespace highwater::widgets
