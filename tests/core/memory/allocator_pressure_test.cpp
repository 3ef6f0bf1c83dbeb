#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/memory/allocator_fixture.h"

namespace highwater::memory {
namespace {

using testing::allocatorOf;
using testing::Bytes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kMiB;
using testing::reserved;
using testing::segmentsMiB;

AllocatorConfig maxSplit(Bytes mib) {
    AllocatorConfig config;
    config.maxSplitSize = mib * kMiB;
    return config;
}

TEST(AllocatorPressure, TheCacheIsGivenBackBeforeARequestFails) {
    auto a = allocatorOf({}, 100 * kMiB);
    a.free(*a.allocate(60 * kMiB));
    // 60 cached + 80 > 100: the 60 go back, then 80 fit.
    ASSERT_TRUE(a.allocate(80 * kMiB));
    EXPECT_THAT(segmentsMiB(a), ElementsAre(80));
    EXPECT_EQ(a.stats().allocationRetries, 1);
    EXPECT_EQ(a.stats().outOfMemories, 0);
    EXPECT_EQ(a.stats().all.reservedBytes.peak, 80 * kMiB);
}

TEST(AllocatorPressure, TheCapacityCanBeUsedToTheLastByte) {
    auto a = allocatorOf({}, 100 * kMiB);
    EXPECT_TRUE(a.allocate(100 * kMiB));
    EXPECT_FALSE(a.allocate(1));
    EXPECT_EQ(reserved(a), 100 * kMiB);
}

TEST(AllocatorPressure, OtherProcessesAreTheCallersToSubtract) {
    auto a = allocatorOf({}, DeviceMemory{100 * kMiB, 60 * kMiB, std::nullopt});
    EXPECT_FALSE(a.allocate(62 * kMiB));
    EXPECT_TRUE(a.allocate(60 * kMiB));
}

TEST(AllocatorPressure, BlocksThatWaitForStreamsAreGivenBackToo) {
    auto a = allocatorOf({}, 100 * kMiB);
    const auto x = *a.allocate(60 * kMiB);
    a.recordStream(x, 1);
    a.free(x);
    EXPECT_TRUE(a.allocate(80 * kMiB));
    EXPECT_THAT(segmentsMiB(a), ElementsAre(80));
}

TEST(AllocatorPressure, OutOfMemorySaysWhyAndHowMuchIsFragmentation) {
    auto a = allocatorOf({}, 64 * kMiB);
    // Two segments of 20 MiB, each with 5 MiB in use between free parts: x 9, k 5, rest 6; 10 MiB of neither
    // can go back. 24 MiB of the device are left, so 40 do not fit although 24 + 30 = 54 are free.
    const auto x = *a.allocate(9 * kMiB);
    a.allocate(5 * kMiB);
    const auto rest = *a.allocate(6 * kMiB);
    const auto y = *a.allocate(9 * kMiB);
    a.allocate(5 * kMiB);
    a.free(x), a.free(y), a.free(rest);
    EXPECT_FALSE(a.allocate(40 * kMiB - 100));
    ASSERT_TRUE(a.outOfMemory());
    const OutOfMemory& why = *a.outOfMemory();
    EXPECT_EQ(why.asked, 40 * kMiB - 100);
    EXPECT_EQ(why.rounded, 40 * kMiB);
    EXPECT_EQ(why.segment, 40 * kMiB);
    EXPECT_EQ(why.limit, 64 * kMiB);
    EXPECT_EQ(why.reserved, 40 * kMiB);
    EXPECT_EQ(why.allocated, 10 * kMiB);
    EXPECT_EQ(why.largestFree, 9 * kMiB);
    EXPECT_EQ(why.deviceFree(), 24 * kMiB);
    EXPECT_EQ(why.fragmented(), 30 * kMiB);
    EXPECT_TRUE(why.fragmentationDecided());
    EXPECT_EQ(a.stats().outOfMemories, 1);
    EXPECT_EQ(a.stats().allocationRetries, 1);
    // 55 MiB would not have fitted in any case: 54 are free.
    EXPECT_FALSE(a.allocate(55 * kMiB));
    EXPECT_FALSE(a.outOfMemory()->fragmentationDecided());
}

TEST(AllocatorPressure, TheAllocatorGoesOnAfterAFailure) {
    auto a = allocatorOf({}, 64 * kMiB);
    const auto x = *a.allocate(60 * kMiB);
    EXPECT_FALSE(a.allocate(10 * kMiB));
    a.free(x);
    EXPECT_TRUE(a.allocate(64 * kMiB));
}

TEST(AllocatorPressure, AbsurdRequestsFailAtOnce) {
    auto a = allocatorOf({}, 64 * kMiB);
    a.free(*a.allocate(20 * kMiB));
    for (const Bytes bytes : {Bytes{1} << 60, std::numeric_limits<Bytes>::max()}) {
        EXPECT_FALSE(a.allocate(bytes));
        EXPECT_EQ(a.outOfMemory()->asked, bytes);
    }
    EXPECT_EQ(reserved(a), 20 * kMiB);  // nothing was given back for them
    EXPECT_FALSE(a.allocate((Bytes{1} << 60) - 1));
    EXPECT_EQ(reserved(a), 0);
}

TEST(AllocatorPressure, TheMemoryFractionLimitsSegments) {
    auto a = allocatorOf({}, DeviceMemory{100 * kMiB, 100 * kMiB, 50 * kMiB});
    EXPECT_TRUE(a.allocate(30 * kMiB));
    EXPECT_FALSE(a.allocate(22 * kMiB));
    EXPECT_EQ(a.outOfMemory()->limit, 50 * kMiB);
    EXPECT_TRUE(a.allocate(20 * kMiB));
}

TEST(AllocatorPressure, MaxSplitSizeRefusesLargeBlocksToSmallerRequests) {
    auto a = allocatorOf(maxSplit(32));
    a.free(*a.allocate(40 * kMiB));
    a.allocate(16 * kMiB);  // below it: the free 40 are refused
    EXPECT_THAT(segmentsMiB(a), ElementsAre(40, 16));
    const auto whole = *a.allocate(34 * kMiB);  // from it on: up to 20 MiB more, handed out unsplit
    EXPECT_EQ(a.block(whole).size, 40 * kMiB);
    a.free(whole);
    a.free(*a.allocate(60 * kMiB));
    a.allocate(40 * kMiB), a.allocate(40 * kMiB);  // the second time 60 are 20 too many: a new segment
    EXPECT_THAT(segmentsMiB(a), ElementsAre(40, 16, 60, 40));
    EXPECT_EQ(a.stats().oversizeSegments.current, 3);
    EXPECT_EQ(a.stats().oversizeAllocations, (Gauge{2, 2}));
}

TEST(AllocatorPressure, OneOversizeBlockIsGivenBackBeforeTheWholeCache) {
    auto a = allocatorOf(maxSplit(32), 200 * kMiB);
    const auto x = *a.allocate(100 * kMiB), y = *a.allocate(40 * kMiB), z = *a.allocate(30 * kMiB);
    a.free(x), a.free(y), a.free(z);
    // 50 MiB: 100 is 20 or more too large, 40 too small, and 170 + 50 > 200. The 100 alone go back.
    ASSERT_TRUE(a.allocate(50 * kMiB));
    EXPECT_THAT(segmentsMiB(a), ElementsAre(40, 30, 50));
    EXPECT_EQ(a.stats().allocationRetries, 0);
}

TEST(AllocatorPressure, SeveralOversizeBlocksGoBackLargestFirstUntilTheyComeToTheRequest) {
    auto a = allocatorOf(maxSplit(32), 200 * kMiB);
    const auto w = *a.allocate(32 * kMiB), x = *a.allocate(60 * kMiB), y = *a.allocate(40 * kMiB),
               z = *a.allocate(30 * kMiB);
    a.free(w), a.free(x), a.free(y), a.free(z);
    // 100 MiB: no single block has them; 60 + 40 >= 100 go back, 32 and 30 stay: 62 + 100 <= 200.
    ASSERT_TRUE(a.allocate(100 * kMiB));
    EXPECT_THAT(segmentsMiB(a), ElementsAre(32, 30, 100));
    EXPECT_EQ(a.stats().allocationRetries, 0);
}

TEST(AllocatorPressure, WithoutMaxSplitSizeTheWholeCacheGoesBack) {
    auto a = allocatorOf({}, 200 * kMiB);
    const auto x = *a.allocate(60 * kMiB), y = *a.allocate(50 * kMiB), z = *a.allocate(30 * kMiB);
    a.free(x), a.free(y), a.free(z);
    ASSERT_TRUE(a.allocate(100 * kMiB));
    EXPECT_THAT(segmentsMiB(a), ElementsAre(100));
    EXPECT_EQ(a.stats().allocationRetries, 1);
}

AllocatorConfig collecting(double threshold) {
    AllocatorConfig config;
    config.garbageCollectionThreshold = threshold;
    return config;
}

TEST(AllocatorPressure, GarbageCollectionGivesBackTheOldestFirst) {
    // Threshold 0.5 x 200 = 100 MiB.
    auto a = allocatorOf(collecting(0.5), DeviceMemory{200 * kMiB, 200 * kMiB, 200 * kMiB});
    const auto x = *a.allocate(40 * kMiB);
    const auto y = *a.allocate(42 * kMiB);
    a.free(x);              // after 2 searches
    a.allocate(44 * kMiB);  // search 3; 82 <= 100, nothing is collected
    a.free(y);              // after 3 searches
    // Search 4 for 48 MiB: ages 4 - 2 = 2 and 4 - 3 = 1, mean 1.5. 126 > 100: the 40 go back, 86 remain.
    a.allocate(48 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(42, 44, 48));
    EXPECT_EQ(a.stats().allocationRetries, 0);
}

TEST(AllocatorPressure, GarbageCollectionGoesOnUntilTheThreshold) {
    // Threshold 0.1 x 200 = 20 MiB.
    auto a = allocatorOf(collecting(0.1), DeviceMemory{200 * kMiB, 200 * kMiB, 200 * kMiB});
    a.allocate(2 * kMiB);  // search 1, a segment of 20
    const auto x = *a.allocate(30 * kMiB), y = *a.allocate(32 * kMiB);
    a.free(x);             // after 3 searches
    a.allocate(2 * kMiB);  // search 4, served from the cache
    a.free(y);             // after 4 searches
    // Search 5: ages 2 and 1, mean 1.5, reserved 82, 62 too many. The 30 go first; 32 are still too many; the
    // mean of the one left is its own age 1, so the 32 go too.
    a.allocate(40 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(20, 40));
}

TEST(AllocatorPressure, GarbageCollectionComesBeforeTheNewSegment) {
    // Threshold 40 MiB: with 62 reserved and only x free, x goes although the new 34 MiB would have fitted.
    auto a = allocatorOf(collecting(0.2), DeviceMemory{200 * kMiB, 200 * kMiB, 200 * kMiB});
    a.free(*a.allocate(30 * kMiB));
    a.allocate(32 * kMiB);  // 30 <= 40: nothing is collected
    EXPECT_THAT(segmentsMiB(a), ElementsAre(30, 32));
    a.allocate(34 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(32, 34));
}

TEST(AllocatorPressure, GarbageCollectionNeedsAMemoryFraction) {
    auto a = allocatorOf(collecting(0.1), 200 * kMiB);
    a.free(*a.allocate(40 * kMiB));
    a.allocate(60 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(40, 60));
}

TEST(AllocatorPressure, GarbageCollectionLeavesSplitAndSmallSegments) {
    auto a = allocatorOf(collecting(0.01), DeviceMemory{200 * kMiB, 200 * kMiB, 200 * kMiB});
    a.free(*a.allocate(100));  // a whole free segment, but of the small pool
    a.allocate(4 * kMiB);      // 16 MiB of its segment are free, but split
    a.allocate(30 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(2, 20, 30));
}

}  // namespace
}  // namespace highwater::memory
