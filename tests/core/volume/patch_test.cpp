#include "core/volume/patch.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

TEST(Patch, ClampMovesInsideAndCentresWhatIsTooLong) {
    EXPECT_EQ(clampPatch({{-3, 8, 2}, {4, 4, 4}}, {10, 10, 10}).start, (Index3{0, 6, 2}));
    const auto box = clampPatch({{5, 5, 5}, {16, 4, 13}}, {10, 10, 10});
    EXPECT_EQ(box.start, (Index3{-3, 5, -1}));
    EXPECT_EQ(box.extent, (Index3{16, 4, 13}));
    EXPECT_EQ(clampPatch({{1, 1, 1}, {0, -3, 2}}, {8, 8, 8}).extent, (Index3{1, 1, 2}));
}

TEST(Patch, UniformReachesEveryPositionAndNoOther) {
    std::mt19937_64 random(1);
    std::set<std::int64_t> seen;
    for (int n = 0; n < 500; ++n) {
        const auto box = randomPatch({10, 4, 3}, {4, 4, 8}, random);
        seen.insert(box.start[0]);
        EXPECT_EQ(box.start[1], 0);
        EXPECT_EQ(box.start[2], -2);
    }
    EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Patch, TheSameSeedGivesTheSameBoxes) {
    std::mt19937_64 a(9), b(9);
    for (int n = 0; n < 20; ++n) {
        EXPECT_EQ(randomPatch({100, 90, 80}, {8, 8, 8}, a), randomPatch({100, 90, 80}, {8, 8, 8}, b));
    }
}

TEST(Patch, ForegroundPatchesHoldForeground) {
    const Volume volume =
        highwater::test::makeVolume<std::int16_t>({40, 40, 40}, VoxelType::I16, [](auto i, auto j, auto k) {
            return static_cast<std::int16_t>(i >= 28 && i < 36 && j >= 4 && j < 12 && k >= 20 && k < 28 ? 100
                                                                                                        : 0);
        });
    std::mt19937_64 random(2);
    for (int n = 0; n < 50; ++n) {
        const auto box = randomForegroundPatch(volume, {6, 6, 6}, 50, random);
        std::vector<float> patch(216);
        extractPatch(volume, box.start, box.extent, 0, patch.data());
        EXPECT_THAT(patch, ::testing::Contains(100.0F));
    }
    EXPECT_EQ(randomForegroundPatch(volume, {6, 6, 6}, 500, random).extent, (Index3{6, 6, 6}));
}

}  // namespace
}  // namespace highwater::volume
