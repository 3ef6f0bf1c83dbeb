#include "widgets/scan/volume3d/orbit_camera.h"

#include <gtest/gtest.h>

#include <string>

#include "widgets/scan/volume3d/orientation_mark.h"

namespace highwater::widgets {
namespace {

OrientationArm armOf(const OrbitCamera& camera, char letter) {
    for (const OrientationArm& arm : orientationArms(camera)) {
        if (arm.letter == letter) {
            return arm;
        }
    }
    return {};
}

/// Pixels of a view of this size.
QPointF onScreen(const OrbitCamera& camera, const QVector3D& mm, const QSizeF& view) {
    const QVector3D p = camera.projection(static_cast<float>(view.width() / view.height())).map(mm);
    return {(p.x() + 1) / 2 * view.width(), (1 - p.y()) / 2 * view.height()};
}

TEST(OrbitCamera, FacesThePatient) {
    OrbitCamera c;
    c.azimuth = 0;
    c.elevation = 0;
    EXPECT_NEAR(c.direction().y(), 1, 1e-6) << "from anterior";
    c.azimuth = 90;
    EXPECT_NEAR(c.direction().x(), -1, 1e-6) << "from the left: x grows to the right";
    c.turn(0, 500);
    EXPECT_EQ(c.elevation, OrbitCamera::kMaxElevation);
    c.zoomBy(1e6F);
    EXPECT_EQ(c.zoom, 12);
}

TEST(OrbitCamera, ThePatientsLeftIsOnTheViewersRightFaceToFace) {
    OrbitCamera c;
    c.azimuth = 0;
    c.elevation = 0;
    const QVector3D left = c.projection(1.5F).map(QVector3D(-40, 0, 0));
    EXPECT_GT(left.x(), 0);
    EXPECT_GT(c.projection(1.5F).map(QVector3D(0, 0, 40)).y(), 0);
}

TEST(OrbitCamera, TheStandardViewsLookFromTheirSide) {
    for (const char letter : std::string("APLRSI")) {
        OrbitCamera c;
        c.lookFrom(letter);
        EXPECT_NEAR(armOf(c, letter).towardsViewer, 1, 1e-5) << letter;
        const bool fromPole = letter == 'S' || letter == 'I';
        EXPECT_NEAR(armOf(c, fromPole ? 'A' : 'S').by.y(), -1, 1e-5) << letter << ": up on screen";
    }
    OrbitCamera c;
    c.lookFrom('I');
    EXPECT_NEAR(armOf(c, 'R').by.x(), -1, 1e-5) << "as the axial slices: right on the left";
    c.lookFrom('A');
    EXPECT_NEAR(armOf(c, 'R').by.x(), -1, 1e-5) << "face to face";
    c.lookFrom('S');
    EXPECT_NEAR(armOf(c, 'R').by.x(), 1, 1e-5) << "from above";
    const OrbitCamera before = c;
    c.lookFrom('x');
    EXPECT_EQ(c, before);
}

TEST(OrbitCamera, LettersPointWhereThePictureGoes) {
    const QSizeF view(300, 200);
    const std::string letters = "RLAPSI";
    for (const float azimuth : {-170.0F, -60.0F, 0.0F, 35.0F, 120.0F}) {
        for (const float elevation : {-90.0F, -40.0F, 0.0F, 12.0F, 90.0F}) {
            OrbitCamera c;
            c.azimuth = azimuth;
            c.elevation = elevation;
            c.center = {5, -3, 40};
            c.pan = {2, 8, -1};
            for (std::size_t n = 0; n < 6; ++n) {
                QVector3D axis;
                axis[static_cast<int>(n / 2)] = n % 2 == 0 ? 1 : -1;
                const QPointF moved = onScreen(c, c.target() + axis, view) - onScreen(c, c.target(), view);
                const QPointF by = armOf(c, letters[n]).by;
                if (std::abs(by.x()) > 0.1) {
                    EXPECT_GT(moved.x() * by.x(), 0) << letters[n];
                }
                if (std::abs(by.y()) > 0.1) {
                    EXPECT_GT(moved.y() * by.y(), 0) << letters[n];
                }
            }
        }
    }
}

TEST(OrbitCamera, PansByPixelsAndNotOutOfReach) {
    OrbitCamera c;
    c.turn(40, 20);
    const QSizeF view(640, 400);
    const QPointF before = onScreen(c, c.center, view);
    c.panBy({30, -20}, view);
    const QPointF by = onScreen(c, c.center, view) - before;
    EXPECT_NEAR(by.x(), 30, 1);
    EXPECT_NEAR(by.y(), -20, 1);
    c.panBy({1e6, 1e6}, view);
    EXPECT_LE(c.pan.length(), 2 * c.radius * 1.001F);
}

TEST(OrbitCamera, ARayGoesThroughItsPixel) {
    for (const QSizeF view : {QSizeF(640, 400), QSizeF(300, 500)}) {
        OrbitCamera c;
        c.turn(70, -30);
        c.zoomBy(1.7F);
        c.pan = {10, -20, 5};
        const float aspect = static_cast<float>(view.width() / view.height());
        for (const QPointF pixel : {QPointF(10, 20), QPointF(150, 200), QPointF(290, 390)}) {
            const QPointF at = onScreen(c, c.position(aspect) + c.towards(pixel, view) * 300, view);
            EXPECT_NEAR(at.x(), pixel.x(), 0.1);
            EXPECT_NEAR(at.y(), pixel.y(), 0.1);
        }
    }
}

}  // namespace
}  // namespace highwater::widgets
