#pragma once

#include <QMatrix4x4>
#include <QPointF>
#include <QSizeF>
#include <QVector3D>

namespace highwater::widgets {

/// A camera that turns about a point in the patient (millimetres, RAS+), always upright: superior stays up.
struct OrbitCamera {
    static constexpr float kViewAngle = 26;     ///< degrees, vertical
    static constexpr float kMaxElevation = 90;  ///< degrees; over a pole, the azimuth says what is up

    float azimuth = 35;    ///< degrees from anterior (0: face to face) towards the patient's left (90)
    float elevation = 12;  ///< degrees above the axial plane
    float zoom = 1;        ///< 1: the whole volume fits; clamped to [0.2, 12]
    QVector3D centre;      ///< mm, of the volume
    QVector3D pan;         ///< mm; looked at is centre + pan. At most twice the radius long
    float radius = 100;    ///< mm, of the ball that holds the volume; > 0

    void turn(float degreesRight, float degreesUp);
    void zoomBy(float factor);
    /// Moves the picture by pixels of a view of this size, to the right and down.
    void panBy(const QPointF& pixels, const QSizeF& view);
    /// Looks from 'A', 'P', 'L', 'R', 'S' or 'I' (any other letter: no change); from above and below with
    /// anterior up. Zoom and pan stay.
    void lookFrom(char side);

    QVector3D target() const { return centre + pan; }
    QVector3D right() const { return QVector3D::crossProduct(up(), direction()); }
    QVector3D up() const;
    /// mm between the camera and `centre`, so that the ball fits an image of this aspect (width / height).
    float distance(float aspect) const;
    QVector3D position(float aspect) const { return target() + direction() * distance(aspect); }
    /// Unit vector from a pixel of a view of this size into the patient.
    QVector3D towards(const QPointF& pixel, const QSizeF& view) const;
    /// Unit vector from what is looked at to the camera.
    QVector3D direction() const;
    /// World to clip space, as VTK computes it for the same camera.
    QMatrix4x4 projection(float aspect) const;

    bool operator==(const OrbitCamera&) const = default;
};

}  // namespace highwater::widgets
