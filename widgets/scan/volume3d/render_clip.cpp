#include "widgets/scan/volume3d/render_clip.h"

#include <QVector3D>
#include <algorithm>
#include <cmath>

namespace highwater::widgets {
namespace {

QVector3D asVector(const std::array<double, 3>& v) {
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

}  // namespace

ClipPlanes clipPlanes(const PatchBox& box, const volume::Geometry& geometry) {
    const auto corners = patchCorners(box, geometry);
    ClipPlanes planes;
    for (unsigned a = 0; a < 3; ++a) {
        const unsigned b = (a + 1) % 3, c = (a + 2) % 3;
        QVector3D normal =
            QVector3D::crossProduct(asVector(geometry.direction[b]), asVector(geometry.direction[c]))
                .normalized();
        if (QVector3D::dotProduct(normal, asVector(geometry.direction[a])) < 0) {
            normal = -normal;
        }
        const QVector3D low = asVector(corners[0]), high = asVector(corners[7]);
        planes.emplace_back(normal, -QVector3D::dotProduct(normal, low));
        planes.emplace_back(-normal, QVector3D::dotProduct(normal, high));
    }
    return planes;
}

RaySpan clipped(RaySpan span, const QVector3D& at, const QVector3D& towards, const ClipPlanes& planes) {
    for (const QVector4D& plane : planes) {
        const float here = QVector3D::dotProduct(plane.toVector3D(), at) + plane.w();
        const float slope = QVector3D::dotProduct(plane.toVector3D(), towards);
        if (std::abs(slope) < 1e-12F) {
            if (here < 0) {
                return {1, 0};
            }
            continue;
        }
        if (slope > 0) {
            span.from = std::max(span.from, -here / slope);
        } else {
            span.to = std::min(span.to, -here / slope);
        }
    }
    return span;
}

}  // namespace highwater::widgets
