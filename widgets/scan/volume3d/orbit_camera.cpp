#include "widgets/scan/volume3d/orbit_camera.h"

#include <algorithm>
#include <array>
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

void OrbitCamera::panBy(const QPointF& pixels, const QSizeF& view) {
    const double height = std::max(1.0, view.height());
    const auto aspect = static_cast<float>(view.width() / height);
    const float pixel =
        2 * distance(aspect) * std::tan(kViewAngle * kDegree / 2) / static_cast<float>(height);
    pan += (up() * static_cast<float>(pixels.y()) - right() * static_cast<float>(pixels.x())) * pixel;
    if (pan.length() > 2 * radius) {
        pan *= 2 * radius / pan.length();
    }
}

void OrbitCamera::lookFrom(char side) {
    struct Side {
        char letter;
        float azimuth, elevation;
    };
    constexpr std::array<Side, 6> kSides{
        {{'A', 0, 0}, {'P', 180, 0}, {'L', 90, 0}, {'R', -90, 0}, {'S', 180, 90}, {'I', 0, -90}}};
    for (const Side& s : kSides) {
        if (s.letter == side) {
            azimuth = s.azimuth;
            elevation = s.elevation;
        }
    }
}

QVector3D OrbitCamera::towards(const QPointF& pixel, const QSizeF& view) const {
    const double width = std::max(1.0, view.width()), height = std::max(1.0, view.height());
    const float vertical = std::tan(kViewAngle * kDegree / 2);
    const auto x = static_cast<float>((2 * pixel.x() / width - 1) * width / height) * vertical;
    const auto y = static_cast<float>(1 - 2 * pixel.y() / height) * vertical;
    return (right() * x + up() * y - direction()).normalized();
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
    const float reach = 2 * radius + pan.length();
    const float far = distance(aspect) + reach;
    const float near = std::max(distance(aspect) - reach, radius / 100);
    QMatrix4x4 m;
    m.perspective(kViewAngle, aspect, near, far);
    m.lookAt(position(aspect), target(), up());
    return m;
}

}  // namespace highwater::widgets
