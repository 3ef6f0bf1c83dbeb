#pragma once

#include <QVector3D>
#include <optional>

#include "widgets/scan/volume3d/render_clip.h"
#include "widgets/scan/volume3d/volume_look.h"

namespace highwater::widgets {

struct RenderVolume;

/// A ray in the patient (RAS+ mm). `towards` has unit length.
struct Ray {
    QVector3D from, towards;
};

/// The real value at a position in the patient, interpolated linearly between voxels. Returns `low` outside
/// the volume.
double valueAt(const RenderVolume& volume, const QVector3D& mm);

/// Returns the position where a ray hits what is drawn with this look, within the clip planes: where half of
/// the ray's light has been absorbed. In a haze that absorbs less than half, it is the position that absorbs
/// the most. Returns std::nullopt if the ray hits nothing visible (less than 2 % of its light is absorbed).
std::optional<QVector3D> firstSurface(const RenderVolume& volume, const Look& look, const Ray& ray,
                                      const ClipPlanes& planes);

}  // namespace highwater::widgets
