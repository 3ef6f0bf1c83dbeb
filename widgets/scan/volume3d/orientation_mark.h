#pragma once

#include <QPointF>
#include <QRect>
#include <array>

class QPainter;

namespace highwater::widgets {

struct OrbitCamera;

/// One arm of the cross: its direction on screen (y points down; length 1 if the arm is in the plane of the
/// screen), and how far it points toward the viewer (1: straight at the viewer).
struct OrientationArm {
    char letter = 'R';
    QPointF by;
    float towardsViewer = 0;
};
/// The arms R L A P S I; those that point away from the viewer come first.
std::array<OrientationArm, 6> orientationArms(const OrbitCamera& camera);

/// Paints six letters (R L A P S I) on the axes of a small cross in the lower left corner, as the camera sees
/// the patient. Letters that point away from the viewer are faint.
void paintOrientationMark(QPainter& painter, const QRect& view, const OrbitCamera& camera);

}  // namespace highwater::widgets
