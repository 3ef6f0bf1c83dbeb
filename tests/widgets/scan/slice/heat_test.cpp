#include "widgets/scan/slice/heat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/widgets/scan/volumes.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/slice_picture.h"

namespace highwater::widgets {
namespace {

using highwater::testing::makeVolume;

/// CIE L* of an sRGB color.
double lightness(const QColor& color) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double y =
        0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(Heat, LightnessRisesEvenly) {
    const double first = lightness(heatColor(0)), last = lightness(heatColor(1));
    EXPECT_GT(last - first, 70);
    for (int n = 0; n <= 20; ++n) {
        EXPECT_NEAR(lightness(heatColor(n / 20.0)), first + (last - first) * n / 20, 5) << n;
    }
    EXPECT_EQ(heatColor(-3), heatColor(0));
    EXPECT_EQ(heatColor(9), heatColor(1));
    EXPECT_EQ(heatColor(std::nan("")), heatColor(0));
}

/// A scan of 1 mm voxels and an overlay of 4 mm ones, hot in one voxel: [12, 16) mm along each axis.
TEST(Heat, LiesAtItsMillimetersInEveryPlaneAndOrientation) {
    for (const std::string letters : {"RAS", "LPS", "SRA", "PIL"}) {
        const auto scan = makeVolume({32, 32, 32}, [](auto, auto, auto) { return 0.0F; }, letters);
        volume::Header header =
            makeVolume({8, 8, 8}, [](auto, auto, auto) { return 0.0F; }, letters, {4, 4, 4}).header();
        const auto corner = scan.geometry().toMillimeters({1.5, 1.5, 1.5});  // the center of its first voxel
        header.geometry.origin = corner;
        auto values = std::make_shared<std::vector<float>>(512, 0.0F);
        (*values)[3 + 8 * 3 + 64 * 3] = 1;
        const volume::Volume overlay(
            header, std::shared_ptr<const std::byte>(values, reinterpret_cast<std::byte*>(values->data())));
        for (const auto plane : {volume::Plane::Axial, volume::Plane::Coronal, volume::Plane::Sagittal}) {
            const auto layout = volume::sliceLayout(scan.geometry(), plane);
            const QImage heat = heatImage(overlay, scan.geometry(), layout, 13, {0, 0, 32, 32}, 1);
            // The center is at voxel 13.5 along each axis; half a voxel to either side of it.
            const auto p = layout.pixel({13.5, 13.5, 13.5});
            const int x = static_cast<int>(p[0]), y = static_cast<int>(p[1]);
            EXPECT_GT(heat.pixelColor(x, y).alphaF(), 0.99) << letters;
            EXPECT_GT(heat.pixelColor(x, y).redF(), heat.pixelColor(x - 2, y).redF() - 1e-3);
            EXPECT_EQ(heat.pixelColor(x - 6, y).alpha(), 0) << letters;
            EXPECT_EQ(heat.pixelColor(x, y + 6).alpha(), 0) << letters;
            const QImage elsewhere = heatImage(overlay, scan.geometry(), layout, 24, {0, 0, 32, 32}, 1);
            EXPECT_EQ(elsewhere.pixelColor(x, y).alpha(), 0);
        }
    }
}

TEST(Heat, OpacityBlocksAndOutside) {
    const auto scan = makeVolume({8, 8, 1}, [](auto, auto, auto) { return 0.0F; });
    const auto half = makeVolume({4, 8, 1}, [](auto, auto, auto) { return 0.7F; });  // i 0 to 3
    const auto layout = volume::sliceLayout(scan.geometry(), volume::Plane::Axial);
    const QImage heat = heatImage(half, scan.geometry(), layout, 0, {0, 0, 8, 8, 2, 2}, 0.5);
    ASSERT_EQ(heat.size(), QSize(4, 4));
    EXPECT_NEAR(heat.pixelColor(3, 1).alphaF(), 0.5, 0.01) << "RAS: i falls to the right";
    EXPECT_EQ(heat.pixelColor(0, 1).alpha(), 0) << "outside the overlay";
}

TEST(SlicePicture, ReadsOnlyWhatIsInView) {
    const auto v = makeVolume({400, 300, 2}, [](auto, auto, auto) { return 0.0F; });
    SliceFrame frame{.layout = volume::sliceLayout(v.geometry(), volume::Plane::Axial),
                     .view = QRectF(0, 0, 100, 75)};
    EXPECT_EQ(regionInView(frame, 1), (volume::SliceRegion{0, 0, 400, 300, 4, 4}));
    EXPECT_EQ(regionInView(frame, 2), (volume::SliceRegion{0, 0, 400, 300, 2, 2})) << "high resolution";
    frame.zoomAt({50, 37.5}, 8);
    const volume::SliceRegion near = regionInView(frame, 1);
    EXPECT_EQ(near.blockColumns, 1);
    EXPECT_LE(near.width, 54);
    EXPECT_GE(near.width, 50);
    EXPECT_LE(near.column, 175);
    EXPECT_GE(near.column + near.width, 225);
    frame.pan = {5000, 0};
    EXPECT_EQ(regionInView(frame, 1).width, 0) << "nothing in view";
}

TEST(SlicePicture, GrayIsTheWindows) {
    const std::vector<float> values{-5, 0, 5, 10, 99, std::nanf("")};
    const QImage plain = grayImage(values, 3, {0, 10}, false), inverted = grayImage(values, 3, {0, 10}, true);
    const std::vector<int> expected{0, 0, 128, 255, 255};
    for (int n = 0; n < 5; ++n) {
        EXPECT_EQ(qRed(plain.pixel(n % 3, n / 3)), expected[static_cast<std::size_t>(n)]);
        EXPECT_EQ(qRed(inverted.pixel(n % 3, n / 3)), 255 - expected[static_cast<std::size_t>(n)]);
        EXPECT_EQ(plain.pixelColor(n % 3, n / 3).saturation(), 0);
    }
    EXPECT_EQ(plain.pixelColor(2, 1), kNotANumber);
    EXPECT_EQ(inverted.pixelColor(2, 1), kNotANumber);
}

}  // namespace
}  // namespace highwater::widgets
