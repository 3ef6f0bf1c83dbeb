#pragma once

#include <QMatrix4x4>
#include <QPointF>
#include <QSizeF>
#include <QVector3D>

namespace highwater::widgets {

/// A camera that orbits a point in the patient (RAS+ mm). It is always upright: superior is up.
struct OrbitCamera {
    static constexpr float kViewAngle = 26;  ///< degrees, vertical
    /// Degrees; when looking from a pole, the azimuth decides which way is up.
    static constexpr float kMaxElevation = 90;

    float azimuth = 35;  ///< degrees from anterior (0: in front of the face) towards the patient's left (90)
    float elevation = 12;  ///< degrees above the axial plane
    float zoom = 1;        ///< 1: the whole volume fits; clamped to [0.2, 12]
    QVector3D center;      ///< mm, center of the volume
    /// Offset in mm: the camera looks at center + pan. Its length is at most twice the radius.
    QVector3D pan;
    float radius = 100;  ///< mm, radius of the sphere that encloses the volume; > 0

    void turn(float degreesRight, float degreesUp);
    void zoomBy(float factor);
    /// Moves the picture by this many pixels of a view of this size, to the right and down.
    void panBy(const QPointF& pixels, const QSizeF& view);
    /// Looks from 'A', 'P', 'L', 'R', 'S' or 'I'; any other letter changes nothing. From above and below,
    /// anterior is up. Zoom and pan stay.
    void lookFrom(char side);

    QVector3D target() const { return center + pan; }
    QVector3D right() const { return QVector3D::crossProduct(up(), direction()); }
    QVector3D up() const;
    /// The distance in mm between the camera and target() at which the sphere fits into an image of this
    /// aspect ratio (width / height).
    float distance(float aspect) const;
    QVector3D position(float aspect) const { return target() + direction() * distance(aspect); }
    /// Unit vector from the camera through a pixel of a view of this size into the patient.
    QVector3D towards(const QPointF& pixel, const QSizeF& view) const;
    /// Unit vector from the point looked at to the camera.
    QVector3D direction() const;
    /// World to clip space, as VTK computes it for the same camera.
    QMatrix4x4 projection(float aspect) const;

    bool operator==(const OrbitCamera&) const = default;
};

}  // namespace highwater::widgets
