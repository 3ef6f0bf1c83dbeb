#pragma once

#include <QVector4D>
#include <vector>

#include "core/volume/volume.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

/// Half spaces in the patient (RAS+ mm). A point (x, y, z) is kept if x * p.x + y * p.y + z * p.z + p.w >= 0
/// for every plane p.
using ClipPlanes = std::vector<QVector4D>;

/// The planes of the six faces of a box of whole voxels.
ClipPlanes clipPlanes(const PatchBox& box, const volume::Geometry& geometry);

/// The part [from, to] of a ray (at + t * towards) that lies inside all planes; from > to if there is none.
struct RaySpan {
    float from = 0, to = 0;
};
RaySpan clipped(RaySpan span, const QVector3D& at, const QVector3D& towards, const ClipPlanes& planes);

}  // namespace highwater::widgets
