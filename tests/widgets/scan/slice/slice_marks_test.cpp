#include "widgets/scan/slice/slice_marks.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <cmath>
#include <numbers>

#include "tests/widgets/scan/volumes.h"

namespace highwater::widgets {
namespace {

using highwater::testing::makeVolume;
using volume::Plane;

TEST(ScaleBar, IsOneTwoOrFive) {
    EXPECT_EQ(scaleBar(1, 60).length, 50);
    EXPECT_EQ(scaleBar(1, 60).pixels, 50);
    EXPECT_EQ(scaleBar(1, 49).length, 20);
    EXPECT_EQ(scaleBar(2.5, 60).length, 20);
    EXPECT_EQ(scaleBar(2.5, 60).pixels, 50);
    EXPECT_EQ(scaleBar(100, 60).length, 0.5);
    EXPECT_EQ(scaleBar(0.05, 60).length, 1000);
    EXPECT_EQ(scaleBar(1, 1).length, 1);
    EXPECT_EQ(scaleBar(0, 60).length, 0);
    EXPECT_EQ(scaleBar(std::nan(""), 60).length, 0);
    EXPECT_EQ(scaleBar(1, 0).length, 0);
}

/// A line in a view is the trace of another plane: moving the cursor along that plane's normal moves the
/// line.
TEST(Crosshair, LinesStandForTheOtherPlanes) {
    const auto v = makeVolume({10, 20, 30}, [](auto, auto, auto) { return 0.0F; }, "PIR");
    for (const Plane plane : {Plane::Axial, Plane::Coronal, Plane::Sagittal}) {
        const auto here = volume::sliceLayout(v.geometry(), plane);
        EXPECT_EQ(volume::sliceLayout(v.geometry(), planeOfColumns(plane)).normalAxis, here.columnAxis);
        EXPECT_EQ(volume::sliceLayout(v.geometry(), planeOfRows(plane)).normalAxis, here.rowAxis);
    }
}

TEST(Tilt, IsTheAngleOfTheSlices) {
    volume::Geometry g = makeVolume({4, 4, 4}, [](auto, auto, auto) { return 0.0F; }).geometry();
    const auto angle = [&](Plane plane) { return tilt(g, volume::sliceLayout(g, plane)); };
    EXPECT_NEAR(angle(Plane::Axial), 0, 1e-6);
    const double c = std::cos(0.2), s = std::sin(0.2);
    g.direction = {{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
    EXPECT_NEAR(angle(Plane::Axial), 0.2 * 180 / std::numbers::pi, 1e-6);
    EXPECT_NEAR(angle(Plane::Coronal), 0.2 * 180 / std::numbers::pi, 1e-6);
    EXPECT_NEAR(angle(Plane::Sagittal), 0, 1e-6);
    // A sheared gantry: the slices are horizontal, but their stack is tilted.
    g.direction = {{{1, 0, 0}, {0, 1, 0}, {0, s, c}}};
    EXPECT_NEAR(angle(Plane::Axial), 0, 1e-6);
    EXPECT_NEAR(angle(Plane::Coronal), 0.2 * 180 / std::numbers::pi, 1e-6);
}

/// The lightness of a handle's pixels relative to the background: some differ clearly on any background.
TEST(CropHandles, AreSeenOnEveryGroundAndInTheView) {
    const auto v = makeVolume({50, 50, 50}, [](auto, auto, auto) { return 0.0F; });
    SliceFrame frame{.layout = volume::sliceLayout(v.geometry(), Plane::Axial),
                     .view = QRectF(0, 0, 200, 200)};
    for (const PatchBox crop : {PatchBox{{0, 0, 0}, {50, 50, 50}}, PatchBox{{10, 12, 0}, {20, 20, 50}}}) {
        for (const int ground : {0, 90, 160, 255}) {
            QImage image(200, 200, QImage::Format_RGB32);
            image.fill(QColor(ground, ground, ground));
            QPainter painter(&image);
            paintCrop(painter, frame, crop, 25, true);
            painter.end();
            for (const QRectF& handle : cropHandles(frame.outline(crop), frame.view)) {
                EXPECT_TRUE(frame.view.contains(handle));
                int contrast = 0;
                for (int x = static_cast<int>(handle.left()); x <= handle.right() && x < 200; ++x) {
                    for (int y = static_cast<int>(handle.top()); y <= handle.bottom() && y < 200; ++y) {
                        contrast += std::abs(qGray(image.pixel(x, y)) - ground) > 60;
                    }
                }
                EXPECT_GE(contrast, 25) << "ground " << ground;
            }
        }
    }
}

}  // namespace
}  // namespace highwater::widgets
