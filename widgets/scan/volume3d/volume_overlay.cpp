#include "widgets/scan/volume3d/volume_overlay.h"

#include <QPainter>
#include <algorithm>
#include <array>

#include "core/volume/slice.h"
#include "widgets/scan/slice/slice_marks.h"
#include "widgets/scan/view_paint.h"
#include "widgets/scan/volume3d/orbit_camera.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

using Index = std::array<double, 3>;

/// The color of the plane perpendicular to a voxel axis.
QColor colorAcross(const volume::Geometry& geometry, std::size_t axis) {
    for (const volume::Plane plane : {volume::Plane::Axial, volume::Plane::Coronal}) {
        if (volume::sliceLayout(geometry, plane).normalAxis == static_cast<int>(axis)) {
            return planeColor(plane);
        }
    }
    return planeColor(volume::Plane::Sagittal);
}

}  // namespace

Projector::Projector(const OrbitCamera& camera, const QSizeF& view)
    : projection_(camera.projection(static_cast<float>(view.width() / std::max(1.0, view.height())))),
      view_(view) {}

std::optional<Projector::Place> Projector::operator()(const std::array<double, 3>& mm) const {
    const QVector4D clip = projection_ * QVector4D(static_cast<float>(mm[0]), static_cast<float>(mm[1]),
                                                   static_cast<float>(mm[2]), 1);
    if (clip.w() <= 0) {
        return std::nullopt;
    }
    return Place{
        {(clip.x() / clip.w() + 1) / 2 * view_.width(), (1 - clip.y() / clip.w()) / 2 * view_.height()},
        clip.w()};
}

void paintBoxEdges(QPainter& painter, const Projector& project, const PatchBox& box,
                   const volume::Geometry& geometry, const QPen& before, const QPen& behind) {
    const auto corners = patchCorners(box, geometry);
    std::array<Projector::Place, 8> at;
    for (std::size_t n = 0; n < 8; ++n) {
        const auto place = project(corners[n]);
        if (!place) {
            return;  // the camera is inside the box
        }
        at[n] = *place;
    }
    const auto farthest =
        static_cast<unsigned>(std::ranges::max_element(at, {}, &Projector::Place::depth) - at.begin());
    for (unsigned n = 0; n < 8; ++n) {
        for (unsigned axis = 0; axis < 3; ++axis) {
            const unsigned other = n | (1U << axis);
            if (other == n) {
                continue;
            }
            painter.setPen(n == farthest || other == farthest ? behind : before);
            painter.drawLine(at[n].at, at[other].at);
        }
    }
}

void paintCursorLines(QPainter& painter, const Projector& project, const Index3& cursor, const PatchBox& box,
                      const volume::Geometry& geometry) {
    Index low{}, high{}, center{};
    for (std::size_t a = 0; a < 3; ++a) {
        low[a] = static_cast<double>(box.start[a]) - 0.5;
        high[a] = low[a] + static_cast<double>(box.extent[a]);
        center[a] = static_cast<double>(cursor[a]);
        if (center[a] < low[a] || center[a] > high[a]) {
            return;  // outside the visible part
        }
    }
    const auto line = [&](const Index& from, const Index& to) {
        const auto a = project(geometry.toMillimeters(from)), b = project(geometry.toMillimeters(to));
        if (a && b) {
            painter.drawLine(a->at, b->at);
        }
    };
    QColor color = onDark(theme().accent);
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        Index from = center, to = center;
        from[a] = low[a];
        to[a] = high[a];
        color.setAlphaF(0.75F);
        painter.setPen(QPen(color, 1));
        line(from, to);

        // Of the slice perpendicular to this axis.
        std::array<Index, 4> outline{center, center, center, center};
        for (std::size_t n = 0; n < 4; ++n) {
            outline[n][b] = n == 1 || n == 2 ? high[b] : low[b];
            outline[n][c] = n >= 2 ? high[c] : low[c];
        }
        QColor plane = colorAcross(geometry, a);
        plane.setAlphaF(0.5F);
        painter.setPen(QPen(plane, 1));
        for (std::size_t n = 0; n < 4; ++n) {
            line(outline[n], outline[(n + 1) % 4]);
        }
    }
    if (const auto place = project(geometry.toMillimeters(center))) {
        color.setAlphaF(0.9F);
        painter.setPen(QPen(color, 1.4));
        painter.drawEllipse(place->at, 4, 4);
    }
}

}  // namespace highwater::widgets
