#pragma once

#include <QMatrix4x4>
#include <QPen>
#include <QPointF>
#include <QSizeF>
#include <optional>

#include "core/volume/volume.h"
#include "widgets/scan/patch_box.h"

class QPainter;

/// Lines over the 3D image, projected with the same camera.
namespace highwater::widgets {

struct OrbitCamera;

/// Projects points in the patient (RAS+ mm) onto a view of this size.
class Projector {
public:
    Projector(const OrbitCamera& camera, const QSizeF& view);
    struct Place {
        QPointF at;
        float depth = 0;  ///< increases with the distance from the camera
    };
    /// Returns std::nullopt for a point behind the camera.
    std::optional<Place> operator()(const std::array<double, 3>& mm) const;

private:
    QMatrix4x4 projection_;
    QSizeF view_;
};

/// Paints the twelve edges of a box. The three edges that meet in its farthest corner are drawn with the pen
/// `behind`.
void paintBoxEdges(QPainter& painter, const Projector& project, const PatchBox& box,
                   const volume::Geometry& geometry, const QPen& before, const QPen& behind);

/// Paints the cursor's three lines along the voxel axes, and the outlines of its three slices in the colors
/// of their planes, as far as `box` (the crop, or the whole volume) reaches.
void paintCursorLines(QPainter& painter, const Projector& project, const Index3& cursor, const PatchBox& box,
                      const volume::Geometry& geometry);

}  // namespace highwater::widgets
