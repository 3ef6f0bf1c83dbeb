#pragma once

#include <QMatrix4x4>
#include <QVector3D>

namespace highwater::widgets {

/// A camera that turns about a point in the patient (millimetres, RAS+), always upright: superior stays up.
struct OrbitCamera {
    static constexpr float kViewAngle = 26;     ///< degrees, vertical
    static constexpr float kMaxElevation = 89;  ///< degrees; the poles have no upright view

    float azimuth = 35;    ///< degrees from anterior (0: face to face) towards the patient's left (90)
    float elevation = 12;  ///< degrees above the axial plane
    float zoom = 1;        ///< 1: the whole volume fits; clamped to [0.2, 12]
    QVector3D centre;      ///< looked at
    float radius = 100;    ///< mm, of the ball that holds the volume; > 0

    void turn(float degreesRight, float degreesUp);
    void zoomBy(float factor);

    QVector3D up() const;
    /// mm between the camera and `centre`, so that the ball fits an image of this aspect (width / height).
    float distance(float aspect) const;
    QVector3D position(float aspect) const { return centre + direction() * distance(aspect); }
    /// Unit vector from `centre` to the camera.
    QVector3D direction() const;
    /// World to clip space, as VTK computes it for the same camera.
    QMatrix4x4 projection(float aspect) const;

    bool operator==(const OrbitCamera&) const = default;
};

}  // namespace highwater::widgets
