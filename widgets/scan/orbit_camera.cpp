#include "widgets/scan/orbit_camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace highwater::widgets {
namespace {

constexpr float kDegree = std::numbers::pi_v<float> / 180;

}  // namespace

void OrbitCamera::turn(float degreesRight, float degreesUp) {
    azimuth = std::remainder(azimuth + degreesRight, 360.0F);
    elevation = std::clamp(elevation + degreesUp, -kMaxElevation, kMaxElevation);
}

void OrbitCamera::zoomBy(float factor) {
    zoom = std::clamp(zoom * factor, 0.2F, 12.0F);
}

QVector3D OrbitCamera::direction() const {
    const float a = azimuth * kDegree, e = elevation * kDegree;
    return {-std::sin(a) * std::cos(e), std::cos(a) * std::cos(e), std::sin(e)};
}

QVector3D OrbitCamera::up() const {
    const float a = azimuth * kDegree, e = elevation * kDegree;
    return {std::sin(a) * std::sin(e), -std::cos(a) * std::sin(e), std::cos(e)};
}

float OrbitCamera::distance(float aspect) const {
    const float vertical = std::tan(kViewAngle * kDegree / 2);
    const float half = std::atan(vertical * std::min(1.0F, aspect));
    return radius / std::sin(half) / zoom;
}

QMatrix4x4 OrbitCamera::projection(float aspect) const {
    const float far = distance(aspect) + 2 * radius;
    const float near = std::max(distance(aspect) - 2 * radius, radius / 100);
    QMatrix4x4 m;
    m.perspective(kViewAngle, aspect, near, far);
    m.lookAt(position(aspect), centre, up());
    return m;
}

}  // namespace highwater::widgets
