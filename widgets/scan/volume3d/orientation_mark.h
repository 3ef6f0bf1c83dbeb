#pragma once

#include <QPointF>
#include <QRect>
#include <array>

class QPainter;

namespace highwater::widgets {

struct OrbitCamera;

/// One arm of the cross: where it points on screen (y downwards; 1 when it lies in the picture), and how far
/// towards the viewer (1: straight at them).
struct OrientationArm {
    char letter = 'R';
    QPointF by;
    float towardsViewer = 0;
};
/// R L A P S I, those that point away first.
std::array<OrientationArm, 6> orientationArms(const OrbitCamera& camera);

/// Six letters (R L A P S I) on the axes of a small cross in the lower left corner, as the camera sees the
/// patient; those that point away are faint.
void paintOrientationMark(QPainter& painter, const QRect& view, const OrbitCamera& camera);

}  // namespace highwater::widgets
