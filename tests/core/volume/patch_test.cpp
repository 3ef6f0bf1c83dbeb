#include "core/volume/patch.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

TEST(Patch, ClampMovesInsideAndCentersWhatIsTooLong) {
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
        const auto box = randomForegroundPatch(volume, {6, 6, 6}, 50, countForeground(volume, 50), random);
        std::vector<float> patch(216);
        extractPatch(volume, box.start, box.extent, 0, patch.data());
        EXPECT_THAT(patch, ::testing::Contains(100.0F));
    }
    EXPECT_EQ(randomForegroundPatch(volume, {6, 6, 6}, 500, countForeground(volume, 500), random).extent,
              (Index3{6, 6, 6}));
}

/// 1 voxel in 45,000: the first, the last, and neighbors on both sides of a boundary between counted blocks.
TEST(Patch, RareForegroundIsFoundEachVoxelAsOften) {
    const std::set<Index3> over{{0, 0, 0},   {1, 0, 0},   {15, 51, 0}, {16, 51, 0},
                                {3, 40, 30}, {20, 1, 49}, {79, 79, 49}};
    const Volume volume = test::makeVolume<std::int16_t>(
        {80, 80, 50}, VoxelType::I16,
        [&](auto i, auto j, auto k) { return static_cast<std::int16_t>(over.contains({i, j, k}) ? 300 : 7); },
        0.5, -3);
    const auto counts = countForeground(volume, 100);
    EXPECT_EQ(counts.size(), 79U);
    EXPECT_EQ(counts.back(), 7);
    std::map<Index3, int> seen;
    std::mt19937_64 random(3);
    constexpr int kTimes = 700;
    for (int n = 0; n < kTimes; ++n) {
        const PatchBox box = randomForegroundPatch(volume, {1, 1, 1}, 100, counts, random);
        EXPECT_TRUE(over.contains(box.start)) << testing::PrintToString(box.start);
        ++seen[box.start];
    }
    EXPECT_EQ(seen.size(), over.size());
    for (const auto& [voxel, times] : seen) {  // six standard deviations
        EXPECT_NEAR(times, 100, 6 * std::sqrt(100)) << testing::PrintToString(voxel);
    }
}

TEST(Patch, ForegroundIsCountedInEveryVoxelType) {
    const auto count = [](auto type, VoxelType name) {
        const Volume volume = test::makeVolume<decltype(type)>(
            {31, 17, 9}, name,
            [](auto i, auto j, auto k) { return static_cast<decltype(type)>((i + 3 * j + 7 * k) % 100); }, 2,
            -50);
        std::int64_t all = 0;
        for (std::int64_t k = 0; k < 9; ++k) {
            for (std::int64_t j = 0; j < 17; ++j) {
                for (std::int64_t i = 0; i < 31; ++i) {
                    all += volume.at(i, j, k) > 131 ? 1 : 0;
                }
            }
        }
        const auto counts = countForeground(volume, 131);
        EXPECT_EQ(counts.size(), 2U);
        EXPECT_EQ(counts.back(), all);
        EXPECT_LT(counts.front(), all);
        EXPECT_EQ(countForeground(volume, 148).back(), 0);
    };
    count(std::uint8_t{}, VoxelType::U8);
    count(std::int16_t{}, VoxelType::I16);
    count(float{}, VoxelType::F32);
    count(double{}, VoxelType::F64);
}

}  // namespace
}  // namespace highwater::volume
