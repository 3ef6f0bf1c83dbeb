#pragma once

#include <QRect>

class QPainter;

namespace highwater::widgets {

struct OrbitCamera;

/// Six letters (R L A P S I) on the axes of a small cross in the lower left corner, as the camera sees the
/// patient; those that point away are faint.
void paintOrientationMark(QPainter& painter, const QRect& view, const OrbitCamera& camera);

}  // namespace highwater::widgets
