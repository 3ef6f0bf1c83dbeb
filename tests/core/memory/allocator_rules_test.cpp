#include "core/memory/allocator_rules.h"

#include <gtest/gtest.h>

namespace highwater::memory {
namespace {

using base::Bytes;
using base::kGiB;
using base::kKiB;
using base::kMiB;

AllocatorConfig divisions(std::int64_t all, AllocatorEra era = AllocatorEra::Torch2_4) {
    AllocatorConfig config;
    config.era = era;
    config.roundupDivisions.fill(all);
    return config;
}

TEST(AllocatorRules, RequestsAreMultiplesOf512) {
    // ceil(bytes / 512) x 512, and at least 512.
    EXPECT_EQ(roundedSize(1, {}), 512);
    EXPECT_EQ(roundedSize(511, {}), 512);
    EXPECT_EQ(roundedSize(512, {}), 512);
    EXPECT_EQ(roundedSize(513, {}), 1024);
    EXPECT_EQ(roundedSize(1000000, {}), 1000448);  // 1953.125 -> 1954 x 512
}

TEST(AllocatorRules, PoolsDivideAtOneMiBOfTheRoundedSize) {
    EXPECT_TRUE(isSmall(roundedSize(kMiB - 511, {})));  // rounds to 1 MiB exactly
    EXPECT_TRUE(isSmall(roundedSize(kMiB, {})));
    EXPECT_FALSE(isSmall(roundedSize(kMiB + 1, {})));  // rounds to 1 MiB + 512
}

TEST(AllocatorRules, SegmentsAre2Or20MiBOrCutToMeasure) {
    EXPECT_EQ(segmentSize(512), 2 * kMiB);
    EXPECT_EQ(segmentSize(kMiB), 2 * kMiB);
    EXPECT_EQ(segmentSize(kMiB + 512), 20 * kMiB);
    EXPECT_EQ(segmentSize(10 * kMiB - 512), 20 * kMiB);
    EXPECT_EQ(segmentSize(10 * kMiB), 10 * kMiB);  // from 10 MiB on: the next multiple of 2 MiB
    EXPECT_EQ(segmentSize(10 * kMiB + 512), 12 * kMiB);
    EXPECT_EQ(segmentSize(25 * kMiB), 26 * kMiB);
}

TEST(AllocatorRules, DivisionsRoundToStepsBetweenPowersOfTwo) {
    // 4 steps between 64 and 128 MiB: 64, 80, 96, 112.
    EXPECT_EQ(roundedSize(65 * kMiB, divisions(4)), 80 * kMiB);
    EXPECT_EQ(roundedSize(80 * kMiB, divisions(4)), 80 * kMiB);
    EXPECT_EQ(roundedSize(80 * kMiB + 1, divisions(4)), 96 * kMiB);
    EXPECT_EQ(roundedSize(113 * kMiB, divisions(4)), 128 * kMiB);
    EXPECT_EQ(roundedSize(64 * kMiB, divisions(4)), 64 * kMiB);  // a power of two stays
}

TEST(AllocatorRules, DivisionsActAbove512BytesTimesTheirNumber) {
    // 8 divisions: up to 4096 B multiples of 512; 4097 B in steps of 4096 / 8 = 512; 9000 B in steps of 1024.
    EXPECT_EQ(roundedSize(3000, divisions(8)), 3072);
    EXPECT_EQ(roundedSize(4097, divisions(8)), 4608);
    EXPECT_EQ(roundedSize(9000, divisions(8)), 9216);
    EXPECT_EQ(roundedSize(8193, divisions(8)), 9216);
}

TEST(AllocatorRules, DivisionsHoldByIntervalFrom2_0On) {
    AllocatorConfig config;
    config.roundupDivisions[0] = 2;                                    // below 2 MiB
    config.roundupDivisions[8] = 4;                                    // [256, 512) MiB
    config.roundupDivisions[15] = 2;                                   // from 32 GiB on
    EXPECT_EQ(roundedSize(300 * kKiB, config), 384 * kKiB);            // 256 + 128 in steps of 128 KiB
    EXPECT_EQ(roundedSize(300 * kMiB, config), 320 * kMiB);            // steps of 64 MiB
    EXPECT_EQ(roundedSize(600 * kMiB + 1, config), 600 * kMiB + 512);  // interval 9 is off
    EXPECT_EQ(roundedSize(33 * kGiB, config), 48 * kGiB);              // steps of 16 GiB
    EXPECT_EQ(roundedSize(65 * kGiB, config), 96 * kGiB);              // beyond the last interval: the last
}

TEST(AllocatorRules, OneDivisionLeavesRequestsAsTheyAreBefore2_4) {
    EXPECT_EQ(roundedSize(1000, divisions(1, AllocatorEra::Torch1_13)), 1000);
    EXPECT_EQ(roundedSize(1000, divisions(1, AllocatorEra::Torch2_0)), 1000);
    EXPECT_EQ(roundedSize(1000, divisions(1, AllocatorEra::Torch2_4)), 1024);
    EXPECT_EQ(roundedSize(100, divisions(1, AllocatorEra::Torch1_13)), 512);
}

TEST(AllocatorRules, LargeRequestsBypassDivisionsIn1_13) {
    AllocatorConfig config = divisions(4, AllocatorEra::Torch1_13);
    config.roundupBypass = 64 * kMiB;
    EXPECT_EQ(roundedSize(33 * kMiB, config), 40 * kMiB);  // steps of 8 MiB
    EXPECT_EQ(roundedSize(65 * kMiB, config), 65 * kMiB);
}

TEST(AllocatorRules, SmallBlocksSplitFrom512BytesOn) {
    EXPECT_TRUE(splits(2 * kMiB, 2 * kMiB - kMiB, {}));
    EXPECT_TRUE(splits(1024, 512, {}));
    EXPECT_FALSE(splits(1023, 512, {}));
    EXPECT_FALSE(splits(512, 512, {}));
}

TEST(AllocatorRules, LargeBlocksSplitWhenMoreThanOneMiBRemains) {
    EXPECT_FALSE(splits(12 * kMiB, 11 * kMiB, {}));
    EXPECT_TRUE(splits(12 * kMiB, 11 * kMiB - 512, {}));
}

TEST(AllocatorRules, RequestsFromMaxSplitSizeOnDoNotSplit) {
    AllocatorConfig config;
    config.maxSplitSize = 32 * kMiB;
    EXPECT_TRUE(splits(40 * kMiB, 32 * kMiB - 512, config));
    EXPECT_FALSE(splits(40 * kMiB, 32 * kMiB, config));
}

TEST(AllocatorRules, ExpandableSegmentsSplitFrom512BytesOnInBothPools) {
    AllocatorConfig config;
    config.expandableSegments = true;
    config.maxSplitSize = 32 * kMiB;
    EXPECT_TRUE(splits(20 * kMiB, 20 * kMiB - 512, config));
    EXPECT_TRUE(splits(60 * kMiB, 40 * kMiB, config));
    EXPECT_FALSE(splits(20 * kMiB, 20 * kMiB, config));
}

TEST(AllocatorRules, MaxSplitSizeKeepsLargeBlocksFromSmallerRequests) {
    AllocatorConfig config;
    config.maxSplitSize = 32 * kMiB;
    EXPECT_TRUE(mayServe(32 * kMiB - 512, 16 * kMiB, config));
    EXPECT_FALSE(mayServe(32 * kMiB, 16 * kMiB, config));
    // A request of it or more takes blocks up to 20 MiB larger, exclusive.
    EXPECT_TRUE(mayServe(52 * kMiB - 512, 32 * kMiB, config));
    EXPECT_FALSE(mayServe(52 * kMiB, 32 * kMiB, config));
    config.maxNonSplitRounding = 100 * kMiB;
    EXPECT_TRUE(mayServe(52 * kMiB, 32 * kMiB, config));
}

}  // namespace
}  // namespace highwater::memory
