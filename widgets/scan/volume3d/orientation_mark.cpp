#include "widgets/scan/volume3d/orientation_mark.h"

#include <QPainter>
#include <algorithm>
#include <array>

#include "widgets/scan/view_paint.h"
#include "widgets/scan/volume3d/orbit_camera.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

constexpr float kLength = 17, kLetter = 7, kCorner = 32;
/// In a view smaller than this, the mark is smaller too, so that it does not hide the scan.
constexpr float kRoomyView = 200;
constexpr float kLeastScale = 0.6F;

}  // namespace

std::array<OrientationArm, 6> orientationArms(const OrbitCamera& camera) {
    const QVector3D out = camera.direction(), up = camera.up(), right = camera.right();
    const auto arm = [&](char letter, const QVector3D& towards) {
        return OrientationArm{letter,
                              {QVector3D::dotProduct(towards, right), -QVector3D::dotProduct(towards, up)},
                              QVector3D::dotProduct(towards, out)};
    };
    std::array<OrientationArm, 6> arms{arm('R', {1, 0, 0}),  arm('L', {-1, 0, 0}), arm('A', {0, 1, 0}),
                                       arm('P', {0, -1, 0}), arm('S', {0, 0, 1}),  arm('I', {0, 0, -1})};
    std::ranges::sort(arms, {}, &OrientationArm::towardsViewer);
    return arms;
}

void paintOrientationMark(QPainter& painter, const QRect& view, const OrbitCamera& camera) {
    painter.save();
    painter.setFont(smallFont(painter.font()));
    const float scale =
        std::clamp(static_cast<float>(std::min(view.width(), view.height())) / kRoomyView, kLeastScale, 1.0F);
    const QPointF center(view.left() + scale * kCorner, view.bottom() - scale * kCorner);
    for (const OrientationArm& arm : orientationArms(camera)) {
        QColor color = kViewText;
        color.setAlphaF(arm.towardsViewer > -0.05F ? 0.95F : 0.35F);
        painter.setPen(QPen(color, 1));
        painter.drawLine(center, center + arm.by * (scale * kLength));
        const QPointF at = center + arm.by * (scale * kLength + kLetter);
        painter.drawText(QRectF(at.x() - 8, at.y() - 8, 16, 16), Qt::AlignCenter,
                         QString(QLatin1Char(arm.letter)));
    }
    painter.restore();
}

}  // namespace highwater::widgets
