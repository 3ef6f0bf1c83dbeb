#include "core/volume/slice.h"

#include <gmock/gmock.h>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

Volume turned(std::array<std::array<double, 3>, 3> direction) {
    const Volume plain = highwater::test::numbered({3, 4, 5});
    Header header = plain.header();
    header.geometry.direction = direction;
    header.geometry.spacing = {1, 2, 3};
    return {header, std::shared_ptr<const std::byte>(std::make_shared<Volume>(plain), plain.data())};
}

TEST(Slice, AxialOfRasHasRightOnTheLeftAndFrontOnTop) {
    const Volume volume = turned({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    const auto layout = sliceLayout(volume.geometry(), Plane::Axial);
    EXPECT_EQ(std::string({layout.left, layout.right, layout.top, layout.bottom}), "RLAP");
    EXPECT_EQ(layout.width, 3);
    EXPECT_EQ(layout.height, 4);
    EXPECT_EQ(layout.depth, 5);
    EXPECT_EQ(layout.columnSpacing, 1);
    EXPECT_EQ(layout.rowSpacing, 2);
    EXPECT_EQ(layout.normalSpacing, 3);
    const auto values = sliceValues(volume, layout, 2);
    EXPECT_EQ(values.front(), 2302);  // i = 2 (right), j = 3 (front)
    EXPECT_EQ(values.back(), 2000);
}

TEST(Slice, CoronalAndSagittalHaveTheHeadOnTop) {
    const Volume volume = turned({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    const auto coronal = sliceLayout(volume.geometry(), Plane::Coronal);
    EXPECT_EQ(std::string({coronal.left, coronal.right, coronal.top, coronal.bottom}), "RLSI");
    EXPECT_EQ(sliceValues(volume, coronal, 1).front(), 4102);
    const auto sagittal = sliceLayout(volume.geometry(), Plane::Sagittal);
    EXPECT_EQ(std::string({sagittal.left, sagittal.right, sagittal.top, sagittal.bottom}), "APSI");
    EXPECT_EQ(sliceValues(volume, sagittal, 1).front(), 4301);
    EXPECT_EQ(sliceValues(volume, sagittal, 1).back(), 1);
}

TEST(Slice, FollowsTheDirectionNotTheStorage) {
    // i grows to the back, j down, k to the right: a sagittal series.
    const Volume volume = turned({{{0, -1, 0}, {0, 0, -1}, {1, 0, 0}}});
    const auto layout = sliceLayout(volume.geometry(), Plane::Axial);
    EXPECT_EQ(layout.columnAxis, 2);
    EXPECT_EQ(layout.rowAxis, 0);
    EXPECT_EQ(layout.normalAxis, 1);
    EXPECT_EQ(sliceValues(volume, layout, 0).front(), 4000);  // k = 4 is the right, i = 0 the front
}

TEST(Slice, PixelAndVoxelAreInverse) {
    const Volume volume = turned({{{0, -1, 0}, {0, 0, 1}, {-1, 0, 0}}});
    for (Plane plane : {Plane::Axial, Plane::Coronal, Plane::Sagittal}) {
        const auto layout = sliceLayout(volume.geometry(), plane);
        const auto ijk = layout.voxel(1, 2, 0);
        const auto pixel = layout.pixel(
            {static_cast<double>(ijk[0]), static_cast<double>(ijk[1]), static_cast<double>(ijk[2])});
        EXPECT_EQ(pixel, (std::array<double, 3>{1, 2, 0})) << planeName(plane);
    }
}

TEST(Slice, GrayIsTheWindowedValue) {
    const Volume volume = highwater::test::numbered({3, 4, 5});
    const auto layout = sliceLayout(volume.geometry(), Plane::Axial);
    const Window window{0, 302};
    const auto values = sliceValues(volume, layout, 0);
    const auto gray = sliceGray(volume, layout, 0, window);
    ASSERT_EQ(values.size(), gray.size());
    for (std::size_t at = 0; at < gray.size(); ++at) {
        EXPECT_EQ(gray[at], toGray(values[at], window));
    }
    EXPECT_EQ(gray.front(), 255);
    EXPECT_EQ(gray.back(), 0);
}

TEST(Slice, PlaneNames) {
    EXPECT_EQ(*parsePlane("coronal"), Plane::Coronal);
    EXPECT_THAT(parsePlane("x").error().message, ::testing::HasSubstr("axial, coronal and sagittal"));
}

}  // namespace
}  // namespace highwater::volume
