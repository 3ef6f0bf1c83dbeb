#include "core/volume/sampler.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "core/volume/uniform.h"
#include "tests/core/volume/make_volume.h"
#include "tests/core/volume_of.h"

namespace highwater::volume {
namespace {

using highwater::volume::test::volumeOf;

/// 1 inside a ball, 0 elsewhere.
Volume ball(const Index3& size) {
    return volumeOf(size, [&](auto i, auto j, auto k) {
        const double x = static_cast<double>(i) - static_cast<double>(size[0]) / 3,
                     y = static_cast<double>(j) - static_cast<double>(size[1]) / 2,
                     z = static_cast<double>(k) - static_cast<double>(size[2]) / 2;
        return x * x + y * y + z * z < 60 ? 1 : 0;
    });
}

struct Recorded {
    std::uint64_t seed;
    std::int64_t sample;
    Index3 uniform, foreground;
};

/// The samples drawn by older versions: old runs can be viewed with new programs.
TEST(Sampler, BoxesAreThoseOfEarlierVersions) {
    const Volume guide = ball({40, 36, 32});
    for (const Recorded& each : std::vector<Recorded>{
             {0U, 0, {15, 2, 11}, {8, 9, 11}},
             {0U, 1, {18, 19, 1}, {15, 16, 14}},
             {0U, 2, {27, 11, 3}, {13, 12, 8}},
             {0U, 99, {10, 18, 3}, {5, 12, 10}},
             {0U, 1000000007, {18, 14, 18}, {6, 10, 7}},
             {7U, 0, {25, 2, 15}, {4, 13, 16}},
             {7U, 1, {19, 15, 7}, {3, 12, 12}},
             {7U, 2, {30, 13, 16}, {9, 15, 10}},
             {7U, 99, {25, 14, 22}, {8, 13, 5}},
             {7U, 1000000007, {5, 7, 22}, {11, 11, 12}},
             {18446744073709551615U, 0, {26, 14, 22}, {9, 7, 8}},
             {18446744073709551615U, 1, {2, 16, 17}, {12, 9, 11}},
             {18446744073709551615U, 2, {28, 25, 8}, {5, 8, 9}},
             {18446744073709551615U, 99, {18, 16, 22}, {15, 18, 12}},
             {18446744073709551615U, 1000000007, {17, 17, 16}, {4, 11, 9}},
         }) {
        Sampler sampler;
        sampler.extent = {8, 9, 10};
        sampler.seed = each.seed;
        EXPECT_EQ(sampler.box(guide, each.sample), (PatchBox{each.uniform, {8, 9, 10}}));
        sampler.foreground = true;
        sampler.threshold = 0.5;
        EXPECT_EQ(sampler.box(guide, each.sample), (PatchBox{each.foreground, {8, 9, 10}}));
    }
}

TEST(Sampler, ASampleFollowsFromTheSeedAndItsNumberAlone) {
    const Volume guide = ball({40, 36, 32});
    Sampler sampler;
    sampler.extent = {4, 4, 4};
    std::map<Index3, int> seen;
    for (std::int64_t n = 99; n >= 0; --n) {
        const PatchBox box = sampler.box(guide, n);
        EXPECT_EQ(box, sampler.box(guide, n));
        ++seen[box.start];
    }
    EXPECT_GT(seen.size(), 90U);
    const PatchBox before = sampler.box(guide, 0);
    sampler.seed = 1;
    EXPECT_NE(sampler.box(guide, 0), before);
}

TEST(Sampler, CasesAreDrawnFirstAndAlikeOften) {
    constexpr int kTimes = 12000;
    std::map<std::int64_t, int> seen;
    for (std::int64_t n = 0; n < kTimes; ++n) {
        ++seen[caseOf(5, n, 3)];
    }
    ASSERT_EQ(seen.size(), 3U);
    for (const auto& [theCase, times] : seen) {  // six standard deviations
        EXPECT_NEAR(times, kTimes / 3.0, 6 * std::sqrt(kTimes * 2 / 9.0)) << theCase;
    }
    // A single case needs no draw: the box comes first.
    const Volume guide = ball({40, 36, 32});
    Sampler alone;
    alone.extent = {4, 4, 4};
    Sampler ofTwo = alone;
    ofTwo.cases = 2;
    for (std::int64_t n = 0; n < 20; ++n) {
        std::mt19937_64 random = sampleRandom(0, n);
        EXPECT_EQ(drawCase(random, 1), 0);
        EXPECT_EQ(alone.draw(guide, random), alone.box(guide, n));
        random = sampleRandom(0, n);
        EXPECT_EQ(below(random, 2), caseOf(0, n, 2));
        EXPECT_EQ(ofTwo.draw(guide, random), ofTwo.box(guide, n));
    }
}

TEST(Sampler, RareForegroundFollowsFromTheSeedAndTheNumberAloneToo) {
    const Volume guide =
        volumeOf({60, 50, 40}, [](auto i, auto j, auto k) { return i == 50 && j > 47 && k == 20 ? 5 : 1; });
    Sampler sampler;
    sampler.extent = {4, 4, 4};
    sampler.foreground = true;
    sampler.findForeground(guide, false);
    EXPECT_FALSE(sampler.lacksForeground());
    const Sampler other = sampler;
    for (std::int64_t n = 49; n >= 0; --n) {
        const PatchBox box = sampler.box(guide, n);
        EXPECT_EQ(box.start, (Index3{48, 46, 18}));
        EXPECT_EQ(box, other.box(guide, n));
    }
    const Volume flat = volumeOf({6, 5, 4}, [](auto, auto, auto) { return 3; });
    sampler.findForeground(flat, false);
    EXPECT_TRUE(sampler.lacksForeground());
    sampler.findForeground(flat, true);
    EXPECT_FALSE(sampler.lacksForeground()) << "labels over 0";
    sampler.findForeground(flat, false);
    sampler.foreground = false;
    EXPECT_FALSE(sampler.lacksForeground()) << "none is wanted";
}

// --- coverage

/// Counted voxel by voxel, then averaged over blocks.
std::vector<double> counted(const Volume& guide, const Sampler& sampler, std::int64_t samples,
                            const Index3& block, const Index3& blocks) {
    const Index3 size = guide.geometry().size;
    std::vector<double> sums(static_cast<std::size_t>(blocks[0] * blocks[1] * blocks[2])), voxels = sums;
    const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        return static_cast<std::size_t>((k / block[2] * blocks[1] + j / block[1]) * blocks[0] + i / block[0]);
    };
    for (std::int64_t n = 0; n < samples; ++n) {
        if (caseOf(sampler.seed, n, sampler.cases) != sampler.theCase) {
            continue;
        }
        const PatchBox box = sampler.box(guide, n);
        for (std::int64_t k = box.start[2]; k < box.start[2] + box.extent[2]; ++k) {
            for (std::int64_t j = box.start[1]; j < box.start[1] + box.extent[1]; ++j) {
                for (std::int64_t i = box.start[0]; i < box.start[0] + box.extent[0]; ++i) {
                    if (i >= 0 && j >= 0 && k >= 0 && i < size[0] && j < size[1] && k < size[2]) {
                        sums[at(i, j, k)] += 1;
                    }
                }
            }
        }
    }
    for (std::int64_t k = 0; k < size[2]; ++k) {
        for (std::int64_t j = 0; j < size[1]; ++j) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                voxels[at(i, j, k)] += 1;
            }
        }
    }
    for (std::size_t n = 0; n < sums.size(); ++n) {
        sums[n] /= voxels[n];
    }
    return sums;
}

void expectExact(const Index3& size, const Index3& extent, bool foreground, std::int64_t cases = 1) {
    SCOPED_TRACE(::testing::PrintToString(size) + ::testing::PrintToString(extent));
    const Volume guide = ball(size);
    Sampler sampler;
    sampler.extent = extent;
    sampler.foreground = foreground;
    sampler.threshold = 0.5;
    sampler.seed = 3;
    sampler.cases = cases;
    sampler.theCase = cases - 1;
    constexpr std::int64_t kSamples = 150;
    const auto made = coverage(guide, sampler, kSamples);
    ASSERT_TRUE(made) << made.error().message;
    Index3 block{}, blocks = made->map.geometry().size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_LE(blocks[axis], 128);
        block[axis] = (size[axis] + 127) / 128;
        EXPECT_EQ(blocks[axis], (size[axis] + block[axis] - 1) / block[axis]);
    }
    const std::vector<double> exact = counted(guide, sampler, kSamples, block, blocks);
    const auto* const map = reinterpret_cast<const float*>(made->map.data());
    double total = 0, most = 0, never = 0;
    std::size_t n = 0;
    for (std::int64_t k = 0; k < blocks[2]; ++k) {
        for (std::int64_t j = 0; j < blocks[1]; ++j) {
            for (std::int64_t i = 0; i < blocks[0]; ++i, ++n) {
                ASSERT_EQ(map[n], static_cast<float>(exact[n])) << i << " " << j << " " << k;
                const double voxels = static_cast<double>(std::min(block[0], size[0] - i * block[0]) *
                                                          std::min(block[1], size[1] - j * block[1]) *
                                                          std::min(block[2], size[2] - k * block[2]));
                total += exact[n] * voxels;
                most = std::max(most, exact[n]);
                never += exact[n] == 0 ? voxels : 0;
            }
        }
    }
    const auto voxels = static_cast<double>(guide.geometry().voxels());
    EXPECT_NEAR(made->mean, total / voxels, 1e-9);
    EXPECT_DOUBLE_EQ(made->most, most);
    EXPECT_DOUBLE_EQ(made->never, never / voxels);
    EXPECT_EQ(made->map.header().max, static_cast<float>(most));
}

TEST(Coverage, IsWhatCountingGives) {
    expectExact({20, 18, 16}, {4, 5, 6}, false);
    expectExact({20, 18, 16}, {4, 5, 6}, true);
    expectExact({20, 18, 16}, {1, 1, 1}, false);
    expectExact({20, 5, 16}, {8, 9, 20}, false);    // longer than the volume
    expectExact({300, 31, 7}, {17, 9, 3}, false);   // blocks of three along i, the last one whole
    expectExact({301, 130, 5}, {64, 33, 2}, true);  // of three and two, the last ones thinner
    expectExact({128, 129, 2}, {128, 100, 2}, false);
    expectExact({515, 3, 2}, {515, 3, 2}, false);  // all of it, each time
    expectExact({300, 31, 7}, {17, 9, 3}, true, 4);
}

TEST(Coverage, CountsTheSamplesOfItsCase) {
    const Volume guide = ball({20, 18, 16});
    Sampler sampler;
    sampler.extent = {2, 2, 2};
    EXPECT_EQ(coverage(guide, sampler, 100)->samples, 100);
    std::int64_t all = 0;
    sampler.cases = 3;
    for (sampler.theCase = 0; sampler.theCase < 3; ++sampler.theCase) {
        const auto part = coverage(guide, sampler, 100);
        all += part->samples;
        EXPECT_NEAR(part->mean * 20 * 18 * 16, static_cast<double>(part->samples) * 8, 1e-6);
    }
    EXPECT_EQ(all, 100);
}

TEST(Coverage, LiesWhereTheVolumeDoes) {
    Header header = ball({301, 20, 5}).header();
    header.geometry.spacing = {0.5, 2, 3};
    header.geometry.origin = {-10, 20, 30};
    header.geometry.direction = {{{0, -1, 0}, {0, 0, 1}, {-1, 0, 0}}};
    header.spacingKnown = false;
    const auto voxels = std::make_shared<std::vector<float>>(301 * 20 * 5, 1.0F);
    const Volume guide(
        header, std::shared_ptr<const std::byte>(voxels, reinterpret_cast<const std::byte*>(voxels->data())));
    Sampler sampler;
    sampler.extent = {10, 10, 5};
    const Volume map = coverage(guide, sampler, 10)->map;
    EXPECT_EQ(map.geometry().size, (Index3{101, 20, 5}));
    EXPECT_FALSE(map.header().spacingKnown);
    EXPECT_EQ(map.geometry().orientation(), guide.geometry().orientation());
    // The middle of block (b, j, k) is voxel (3 b + 1, j, k).
    for (const auto& [block, voxel] :
         {std::pair<std::array<double, 3>, std::array<double, 3>>{{0, 0, 0}, {1, 0, 0}},
          {{50, 7, 4}, {151, 7, 4}}}) {
        const auto a = map.geometry().toMillimeters(block), b = guide.geometry().toMillimeters(voxel);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(a[axis], b[axis], 1e-9);
        }
    }
}

TEST(Coverage, OfNoSampleIsNothing) {
    const auto none = coverage(ball({20, 18, 16}), {{4, 4, 4}, false, 0, 0}, 0);
    ASSERT_TRUE(none);
    EXPECT_EQ(none->most, 0);
    EXPECT_EQ(none->never, 1);
    EXPECT_EQ(none->samples, 0);
}

TEST(Coverage, CanBeCancelled) {
    const std::atomic<bool> cancel{true};
    const auto made = coverage(ball({20, 18, 16}), {{4, 4, 4}, false, 0, 0}, 1'000'000'000, &cancel);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "cancelled");
    EXPECT_FALSE(coverage({}, {{4, 4, 4}, false, 0, 0}, 1));
}

}  // namespace
}  // namespace highwater::volume
