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

/// What is known of a volume's values before it is drawn.
struct RenderScale {
    double low = 0, high = 1;  ///< real values, low < high
    double surface = 0.5;      ///< the real value that parts air from what is seen
    bool hounsfield = false;   ///< values are Hounsfield units
    bool uniform = false;      ///< all finite values are equal, or there are none: nothing to see
    volume::Window usual;      ///< the window that the volume opens with
    double opacityUnit = 1;    ///< mm that a look's opacities are of: 1/250 of the volume's diagonal
};
RenderScale renderScale(const volume::Volume& volume, const volume::Histogram& histogram);

/// A volume made ready for drawing in 3D: few enough voxels for the GPU, a little smoothed, cropped to what
/// is not air, 16 bits a voxel, voxel axes right-handed (VTK's ray caster is wrong for mirrored ones).
struct RenderVolume : RenderScale {
    std::array<int, 3> size{};               ///< i, j, k; each 3 to most + 2
    std::array<double, 3> spacing{1, 1, 1};  ///< mm
    QMatrix4x4 toPatient;                    ///< mm along the voxel axes from voxel (0, 0, 0) -> RAS+ mm
    std::vector<std::uint16_t> voxels;       ///< i fastest; 0 is `low`, 65535 is `high`
    int factor = 1;                          ///< the longest side, in the scan's voxels, of one of these
    int most = 0;                            ///< voxels along an axis that were allowed

    /// mm from the first voxel's centre to the last one's.
    double diagonal() const;
    /// mm between samples of a ray that misses nothing, at most 1500 of them along the diagonal.
    double rayStep() const;
};

inline constexpr int kCoarseVoxels = 128;  ///< along an axis: the first picture
inline constexpr int kFineVoxels = 256;    ///< the one that replaces it, also without a GPU

/// Reads the whole volume (so: on a worker's thread), in slabs: takes 2 bytes a voxel of the result and an
/// eighth more. Null when `cancelled` became true meanwhile.
std::shared_ptr<const RenderVolume> makeRenderVolume(const volume::Volume& volume, const RenderScale& scale,
                                                     int most, const std::atomic<bool>& cancelled);

}  // namespace highwater::widgets
