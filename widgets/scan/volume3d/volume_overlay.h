#pragma once

#include <QMatrix4x4>
#include <QPen>
#include <QPointF>
#include <QSizeF>
#include <optional>

#include "core/volume/volume.h"
#include "widgets/scan/patch_box.h"

class QPainter;

/// Lines over the 3D picture, through a camera's eyes.
namespace highwater::widgets {

struct OrbitCamera;

/// Places in the patient (RAS+ mm) on a view of this size.
class Projector {
public:
    Projector(const OrbitCamera& camera, const QSizeF& view);
    struct Place {
        QPointF at;
        float depth = 0;  ///< grows away from the camera
    };
    /// Nothing for what lies behind the camera.
    std::optional<Place> operator()(const std::array<double, 3>& mm) const;

private:
    QMatrix4x4 projection_;
    QSizeF view_;
};

/// A box's twelve edges; the three that meet in its farthest corner with the pen `behind`.
void paintBoxEdges(QPainter& painter, const Projector& project, const PatchBox& box,
                   const volume::Geometry& geometry, const QPen& before, const QPen& behind);

/// The cursor's three lines along the voxel axes and the outlines of its three slices in their planes'
/// colours, as far as `box` (the crop, or the whole volume) reaches.
void paintCursorLines(QPainter& painter, const Projector& project, const Index3& cursor, const PatchBox& box,
                      const volume::Geometry& geometry);

}  // namespace highwater::widgets
