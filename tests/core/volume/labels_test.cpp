#include "core/volume/labels.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

using highwater::test::makeVolume;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Labels, AreCountedInOrderWithoutTheBackground) {
    const auto map = makeVolume<std::int16_t>({4, 3, 2}, VoxelType::I16, [](auto i, auto j, auto k) {
        return static_cast<std::int16_t>(k == 1 && j == 2 ? 1035 : i == 0 ? -2 : i == 3 ? 7 : 0);
    });
    const auto counts = countLabels(map);
    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_THAT(*counts, ElementsAre(LabelCount{-2, 5, {0, 0, 0}}, LabelCount{7, 5, {3, 0, 0}},
                                     LabelCount{1035, 4, {1, 2, 1}}));
}

TEST(Labels, AreRealValuesAfterSlopeAndIntercept) {
    const auto map = makeVolume<std::uint8_t>(
        {3, 1, 1}, VoxelType::U8, [](auto i, auto, auto) { return static_cast<std::uint8_t>(i); }, 2, -2);
    EXPECT_THAT(*countLabels(map), ElementsAre(LabelCount{-2, 1, {0, 0, 0}}, LabelCount{2, 1, {2, 0, 0}}));
}

TEST(Labels, OfFloatsAreWholeNumbersOrTheVoxelIsNamed) {
    const auto of = [](float odd) {
        return makeVolume<float>({3, 4, 5}, VoxelType::F32, [=](auto i, auto j, auto k) {
            return i == 2 && j == 3 && k == 1 ? odd : 3.0F;
        });
    };
    const auto counts = countLabels(of(-0.0F));
    ASSERT_EQ(counts->size(), 1U);
    EXPECT_EQ(counts->front().voxels, 59);
    for (const float odd : {0.5F, 1e20F, std::nanf(""), std::numeric_limits<float>::infinity()}) {
        const auto none = countLabels(of(odd));
        ASSERT_FALSE(none) << odd;
        EXPECT_THAT(none.error().message, HasSubstr("is not a label map: voxel 2, 3, 1 has the value"));
    }
}

TEST(Labels, AScanIsNoLabelMap) {
    const auto scan = makeVolume<std::int16_t>(
        {1001, 1, 1}, VoxelType::I16, [](auto i, auto, auto) { return static_cast<std::int16_t>(i); });
    const auto counts = countLabels(scan);
    ASSERT_FALSE(counts);
    EXPECT_THAT(counts.error().message, HasSubstr("more than 1000 different values"));
    const std::atomic<bool> cancel = true;
    EXPECT_EQ(countLabels(scan, &cancel).error().message, "cancelled");
}

TEST(Labels, AVoxelReachesHalfOfItsSizeAround) {
    Geometry g;
    g.size = {4, 4, 4};
    g.spacing = {2, 2, 2};
    g.origin = {10, 0, 0};
    EXPECT_EQ(voxelAt(g, {10.9, 0, 0}), (std::array<std::int64_t, 3>{0, 0, 0}));
    EXPECT_EQ(voxelAt(g, {11.1, 6.9, -0.9}), (std::array<std::int64_t, 3>{1, 3, 0}));
    EXPECT_FALSE(voxelAt(g, {8.9, 0, 0}));
    EXPECT_FALSE(voxelAt(g, {10, 7.1, 0}));
    EXPECT_FALSE(voxelAt(g, {std::nan(""), 0, 0}));
}

TEST(Labels, VolumeAndDistanceRespectSpacingAndShear) {
    Geometry g;
    g.size = {10, 10, 10};
    g.spacing = {0.5, 2, 3};
    EXPECT_DOUBLE_EQ(voxelVolume(g), 3);
    EXPECT_DOUBLE_EQ(distance(g, {0, 0, 0}, {6, 2, 0}), 5);      // 3 mm across, 4 mm down
    EXPECT_DOUBLE_EQ(distance(g, {1, 1, 1}, {1, 1, 1.5}), 1.5);  // between voxels
    g.direction[1] = {std::sqrt(0.5), std::sqrt(0.5), 0};        // 45 degrees to i
    EXPECT_NEAR(voxelVolume(g), 3 * std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(distance(g, {0, 0, 0}, {0, 3, 0}), 6, 1e-12);
    EXPECT_NEAR(distance(g, {0, 0, 0}, {4, 1, 0}), std::hypot(2 + std::sqrt(2), std::sqrt(2)), 1e-12);
}

}  // namespace
}  // namespace highwater::volume
