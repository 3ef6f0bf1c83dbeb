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

/// Properties of a volume's values that drawing needs.
struct RenderScale {
    double low = 0, high = 1;  ///< real values, low < high
    double surface = 0.5;      ///< the real value that separates air from what is drawn
    bool hounsfield = false;   ///< values are Hounsfield units
    bool uniform = false;      ///< all finite values are equal, or there are none: nothing can be drawn
    volume::Window usual;      ///< the window that the volume opens with
    /// Thickness in mm that the opacities of a look refer to: 1/250 of the volume's diagonal.
    double opacityUnit = 1;
};
RenderScale renderScale(const volume::Volume& volume, const volume::Histogram& histogram);

/// A volume prepared for drawing in 3D: reduced to few enough voxels for the GPU, slightly smoothed, cropped
/// to what is not air, with 16 bits per voxel and right-handed voxel axes (VTK's ray caster is wrong for
/// left-handed ones).
struct RenderVolume : RenderScale {
    std::array<int, 3> size{};               ///< along i, j, k; each 3 to most + 2
    std::array<double, 3> spacing{1, 1, 1};  ///< mm
    QMatrix4x4 toPatient;  ///< from mm along the voxel axes, measured from voxel (0, 0, 0), to RAS+ mm
    std::vector<std::uint16_t> voxels;  ///< i varies fastest; 0 stands for `low`, 65535 for `high`
    int factor = 1;  ///< the length of one voxel along its longest side, in voxels of the scan
    int most = 0;    ///< the limit of voxels along an axis that it was made with

    /// The distance in mm from the center of the first voxel to the center of the last one.
    double diagonal() const;
    /// The distance in mm between the samples of a ray such that no voxel is missed, with at most 1500
    /// samples along the diagonal. In small volumes it is shorter than a voxel: at most 3/4 of opacityUnit.
    /// With longer steps a single sample is almost opaque; as rays start at random depths, each pixel would
    /// show the shade of another depth, and the surface would look grainy, with dark specks where it curves.
    double rayStep() const;
};

inline constexpr int kCoarseVoxels = 128;  ///< voxels along an axis in the first picture
/// Voxels along an axis in the picture that replaces it, also without a GPU.
inline constexpr int kFineVoxels = 256;

/// Reads the whole volume in slabs, so it must be called on a worker thread. Needs 2 bytes per voxel of the
/// result, plus an eighth of that. Returns null if `cancelled` became true meanwhile.
std::shared_ptr<const RenderVolume> makeRenderVolume(const volume::Volume& volume, const RenderScale& scale,
                                                     int most, const std::atomic<bool>& cancelled);

}  // namespace highwater::widgets
