#pragma once

#include <QVector3D>
#include <optional>

#include "widgets/scan/volume3d/render_clip.h"
#include "widgets/scan/volume3d/volume_look.h"

namespace highwater::widgets {

struct RenderVolume;

/// A ray in the patient, RAS+ mm; `towards` has unit length.
struct Ray {
    QVector3D from, towards;
};

/// The real value at a place in the patient, linear between voxels; `low` outside.
double valueAt(const RenderVolume& volume, const QVector3D& mm);

/// Where a ray meets what is drawn under a look within the planes: the place by which half of its light is
/// gone; in a haze that lets more through, the place that takes most of it. Nothing where the ray meets
/// nothing that can be seen (less than 2 % of its light).
std::optional<QVector3D> firstSurface(const RenderVolume& volume, const Look& look, const Ray& ray,
                                      const ClipPlanes& planes);

}  // namespace highwater::widgets
