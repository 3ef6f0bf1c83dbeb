#include "core/volume/windowing.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

TEST(Windowing, BlackToWhite) {
    const auto window = Window::fromLevel(40, 400);
    EXPECT_EQ(window, (Window{-160, 240}));
    EXPECT_EQ(toGray(-160, window), 0);
    EXPECT_EQ(toGray(-5000, window), 0);
    EXPECT_EQ(toGray(40, window), 128);
    EXPECT_EQ(toGray(240, window), 255);
    EXPECT_EQ(toGray(INFINITY, window), 255);
    EXPECT_EQ(toGray(std::nan(""), window), 0);
}

TEST(Windowing, PresetsByName) {
    const auto bone = presetWindow("ct-bone", {});
    ASSERT_TRUE(bone.ok());
    EXPECT_EQ(bone->level(), 500);
    EXPECT_EQ(bone->width(), 2000);
    EXPECT_THAT(presetWindow("bone", {}).error().message,
                ::testing::HasSubstr("ct-soft-tissue, ct-brain, ct-bone"));
}

TEST(Windowing, FullRangeIsAllOfIt) {
    Histogram values;
    values.low = -37.5;
    values.high = 4100;
    EXPECT_EQ(*presetWindow("full", values), (Window{-37.5, 4100}));
    values.high = values.low;
    EXPECT_EQ(presetWindow("full", values)->width(), 1) << "never empty";
}

TEST(Windowing, MrLooksAtTheForeground) {
    // Four fifths air with a little noise, the rest tissue up to 1000, a few very bright voxels.
    const Volume mr =
        highwater::test::makeVolume<std::int16_t>({50, 50, 50}, VoxelType::I16, [](auto i, auto j, auto k) {
            if (i == 49 && j == 49 && k == 49) {
                return std::int16_t{30000};
            }
            return static_cast<std::int16_t>(i < 40 ? j % 7 : 400 + (j * 50 + k) % 600);
        });
    const auto window = defaultWindow(mr.header(), histogram(mr));
    EXPECT_LT(window.low, 20);
    EXPECT_GT(window.high, 900);
    EXPECT_LT(window.high, 1100);
}

TEST(Windowing, CtIsKnownByItsAir) {
    Header header;
    header.min = -1024;
    header.max = 3000;
    EXPECT_TRUE(looksLikeCt(header));
    EXPECT_EQ(defaultWindow(header, {}), (Window{-160, 240}));
    header.min = 0;
    EXPECT_FALSE(looksLikeCt(header));
}

}  // namespace
}  // namespace highwater::volume
