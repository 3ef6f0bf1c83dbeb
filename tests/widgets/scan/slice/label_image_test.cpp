#include "widgets/scan/slice/label_image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/widgets/scan/labeled.h"
#include "tests/widgets/scan/volumes.h"
#include "widgets/scan/scan_scene.h"

namespace highwater::widgets {
namespace {

using highwater::testing::labeled;
using highwater::testing::makeVolume;

volume::Volume gray(const std::string& letters) {
    return makeVolume({32, 32, 32}, [](auto, auto, auto) { return 0.0F; }, letters);
}

/// Label 3 fills one block of 4 mm, [12, 16) mm along each axis of a scan of 1 mm.
TEST(LabelImage, HasTheNearestVoxelsColorInEveryPlaneAndOrientation) {
    for (const std::string letters : {"RAS", "LPS", "SRA", "PIL"}) {
        const auto scan = gray(letters);
        const volume::Volume coarse = makeVolume(
            {8, 8, 8}, [](auto i, auto j, auto k) { return i == 3 && j == 3 && k == 3 ? 3.0F : 0.0F; },
            letters, {4, 4, 4});
        volume::Header header = coarse.header();
        header.geometry.origin = scan.geometry().toMillimeters({1.5, 1.5, 1.5});
        const LabelMap map = labeled({header, std::shared_ptr<const std::byte>(
                                                  std::make_shared<volume::Volume>(coarse), coarse.data())},
                                     {3});
        for (const auto plane : {volume::Plane::Axial, volume::Plane::Coronal, volume::Plane::Sagittal}) {
            const auto layout = volume::sliceLayout(scan.geometry(), plane);
            const QImage image = labelImage(map, scan.geometry(), layout, 13, {0, 0, 32, 32}, 1);
            for (std::int64_t row = 0; row < 32; ++row) {
                for (std::int64_t column = 0; column < 32; ++column) {
                    const auto v = layout.voxel(column, row, 13);
                    const bool in = std::ranges::all_of(v, [](auto at) { return at >= 12 && at < 16; });
                    EXPECT_EQ(image.pixelColor(static_cast<int>(column), static_cast<int>(row)),
                              in ? labelColor(3) : QColor(0, 0, 0, 0))
                        << letters << ' ' << column << ' ' << row;
                }
            }
        }
    }
}

TEST(LabelImage, LeavesOutWhatIsHiddenAndIsAsOpaqueAsSaid) {
    const auto scan = gray("RAS");
    LabelMap map =
        labeled(makeVolume({32, 32, 32}, [](auto i, auto, auto) { return i < 16 ? 1.0F : 2.0F; }), {1, 2});
    map.labels[0].shown = false;
    const auto layout = volume::sliceLayout(scan.geometry(), volume::Plane::Axial);
    const QImage image = labelImage(map, scan.geometry(), layout, 5, {0, 0, 32, 32}, 0.5);
    EXPECT_NEAR(image.pixelColor(2, 2).alphaF(), 0.5, 0.01);  // the patient's right: high i
    EXPECT_EQ(image.pixelColor(30, 2).alpha(), 0);
}

double component(double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

/// CIE L*a*b* of an sRGB color.
std::array<double, 3> lab(const QColor& color) {
    const double r = component(color.redF()), g = component(color.greenF()), b = component(color.blueF());
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047),
                 y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
                 z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST(LabelColors, OfTheFirstAreToldApartFromEachOtherAndFromGray) {
    for (std::int64_t a = 1; a <= 12; ++a) {
        const auto one = lab(labelColor(a));
        EXPECT_GT(std::hypot(one[1], one[2]), 30) << a << " is nearly gray";
        EXPECT_GT(one[0], 40) << a << " is lost on black";
        EXPECT_LT(one[0], 88) << a << " is lost on white";
        for (std::int64_t b = 1; b < a; ++b) {
            const auto other = lab(labelColor(b));
            EXPECT_GT(std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]), 25)
                << a << ' ' << b;
        }
    }
    std::set<QRgb> all;
    for (std::int64_t value = 1; value <= 200; ++value) {
        EXPECT_EQ(labelColor(value), labelColor(value));
        all.insert(labelColor(value).rgb());
    }
    EXPECT_EQ(all.size(), 200U);
    EXPECT_TRUE(labelColor(-3).isValid());
}

TEST(LabelMap, KnowsTheLabelAtAPlace) {
    const LabelMap map =
        labeled(makeVolume({4, 4, 4}, [](auto i, auto, auto) { return i == 2 ? 9.0F : 0.0F; }), {9});
    ASSERT_NE(map.at({2.2, 1, 1}), nullptr);
    EXPECT_EQ(map.at({2.2, 1, 1})->name, "label 9");
    EXPECT_EQ(map.at({1, 1, 1}), nullptr) << "the background";
    EXPECT_EQ(map.at({2, 1, 9}), nullptr) << "outside";
    EXPECT_EQ(map.find(8), nullptr);
    EXPECT_EQ(LabelMap().at({0, 0, 0}), nullptr);
}

TEST(ScanSceneLabels, StayOverAnotherChannelAndKeepWhatWasHidden) {
    ScanScene scene;
    const auto map = [](std::int64_t size) {
        return labeled(
            makeVolume({size, size, size}, [](auto i, auto, auto) { return static_cast<float>(i % 3); }),
            {1, 2});
    };
    scene.setVolume(gray("RAS"));
    scene.setLabels(map(32));
    ASSERT_TRUE(scene.showsLabels());
    scene.showLabel(2, false);
    EXPECT_FALSE(scene.labels().find(2)->shown);
    scene.setVolume(gray("RAS"));
    EXPECT_TRUE(scene.showsLabels()) << "another channel";
    scene.showInstead(gray("LPS"));
    EXPECT_FALSE(scene.showsLabels()) << "a patch";
    EXPECT_TRUE(scene.hasLabels());
    scene.showInstead({});
    EXPECT_TRUE(scene.showsLabels());
    scene.setVolume(gray("LPS"));
    EXPECT_FALSE(scene.hasLabels()) << "another scan";
    LabelMap next = map(32);
    scene.setLabels(next);
    EXPECT_FALSE(scene.labels().find(2)->shown) << "the same label of the next case";
    next.labels[1].name = "Liver";
    scene.setLabels(next);
    EXPECT_TRUE(scene.labels().find(2)->shown) << "another structure of the same value";
    scene.showAllLabels(false);
    EXPECT_FALSE(scene.labels().find(1)->shown);
    scene.setLabelOpacity(7);
    EXPECT_EQ(scene.labelOpacity(), 1);
}

}  // namespace
}  // namespace highwater::widgets
