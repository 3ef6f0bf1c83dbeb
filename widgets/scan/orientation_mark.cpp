#include "widgets/scan/orientation_mark.h"

#include <QPainter>
#include <algorithm>
#include <array>

#include "widgets/scan/orbit_camera.h"
#include "widgets/scan/view_paint.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

struct Arm {
    QVector3D towards;  // RAS+
    const char* letter;
};
constexpr float kLength = 17;

}  // namespace

void paintOrientationMark(QPainter& painter, const QRect& view, const OrbitCamera& camera) {
    std::array<Arm, 6> arms{{{{1, 0, 0}, "R"},
                             {{-1, 0, 0}, "L"},
                             {{0, 1, 0}, "A"},
                             {{0, -1, 0}, "P"},
                             {{0, 0, 1}, "S"},
                             {{0, 0, -1}, "I"}}};
    const QVector3D out = camera.direction(), up = camera.up();
    const QVector3D right = QVector3D::crossProduct(up, out);
    const auto towardsViewer = [&](const Arm& arm) { return QVector3D::dotProduct(arm.towards, out); };
    std::ranges::sort(arms, {}, towardsViewer);

    painter.save();
    painter.setFont(smallFont(painter.font()));
    const QPointF centre(view.left() + 32, view.bottom() - 32);
    for (const Arm& arm : arms) {
        const QPointF by(QVector3D::dotProduct(arm.towards, right), -QVector3D::dotProduct(arm.towards, up));
        QColor colour = kViewText;
        colour.setAlphaF(towardsViewer(arm) > -0.05F ? 0.95F : 0.35F);
        painter.setPen(QPen(colour, 1));
        painter.drawLine(centre, centre + by * kLength);
        const QPointF at = centre + by * (kLength + 7);
        painter.drawText(QRectF(at.x() - 8, at.y() - 8, 16, 16), Qt::AlignCenter, arm.letter);
    }
    painter.restore();
}

}  // namespace highwater::widgets
