#pragma once

#include <QVector4D>
#include <vector>

#include "core/volume/volume.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

/// Half spaces of the patient (RAS+ mm): what is kept has x * p.x + y * p.y + z * p.z + w >= 0 for all.
using ClipPlanes = std::vector<QVector4D>;

/// The six faces of a box of whole voxels.
ClipPlanes clipPlanes(const PatchBox& box, const volume::Geometry& geometry);

/// The part [from, to] of a ray (at + t * towards) inside all planes; from > to where there is none.
struct Span {
    float from = 0, to = 0;
};
Span clipped(Span span, const QVector3D& at, const QVector3D& towards, const ClipPlanes& planes);

}  // namespace highwater::widgets
