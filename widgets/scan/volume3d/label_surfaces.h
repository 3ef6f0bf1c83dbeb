#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "core/volume/volume.h"

namespace highwater::widgets {

/// The surface of one label, as triangles in the patient (RAS+ mm).
struct LabelSurface {
    std::int64_t value = 0;
    std::vector<float> points;             ///< x, y, z of each corner
    std::vector<float> normals;            ///< the same number, unit length
    std::vector<std::uint32_t> triangles;  ///< three corners each
};
using LabelSurfaces = std::vector<LabelSurface>;

/// How a label's surface is drawn in a frame; surfaces without a look are not drawn.
struct SurfaceLook {
    std::int64_t value = 0;
    std::array<double, 3> color{};
    bool operator==(const SurfaceLook&) const = default;
};

/// Size in voxels along an axis of a label's box above which blocks of voxels are merged.
inline constexpr std::int64_t kSurfaceVoxels = 160;

/// Makes the surfaces of these labels, slightly smoothed so that voxels do not show as steps: the faces are
/// within a voxel of the label's edge (within a block, for labels longer than kSurfaceVoxels). Reads the
/// whole volume twice, so it must be called on a worker thread. Returns null if `cancelled` became true.
std::shared_ptr<const LabelSurfaces> makeLabelSurfaces(const volume::Volume& labels,
                                                       const std::set<std::int64_t>& values,
                                                       const std::atomic<bool>& cancelled);

}  // namespace highwater::widgets
