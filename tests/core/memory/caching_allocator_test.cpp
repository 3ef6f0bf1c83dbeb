#include "core/memory/caching_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/memory/allocator_fixture.h"

namespace highwater::memory {
namespace {

using testing::allocatorOf;
using ::testing::ElementsAre;
using testing::kKiB;
using testing::kMiB;
using testing::reserved;
using testing::segmentsMiB;

TEST(CachingAllocator, TakesTheBlockThatFitsBest) {
    auto a = allocatorOf();
    // Three segments of 30, 20 and 40 MiB, all free. 16 MiB fits best in the 20.
    const auto x = *a.allocate(30 * kMiB), y = *a.allocate(20 * kMiB), z = *a.allocate(40 * kMiB);
    const auto second = a.block(y).address;
    a.free(x), a.free(y), a.free(z);
    EXPECT_EQ(a.block(*a.allocate(16 * kMiB)).address, second);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(30, 20, 40));
}

TEST(CachingAllocator, TiesGoToTheLowestAddress) {
    auto a = allocatorOf();
    const auto x = *a.allocate(12 * kMiB), y = *a.allocate(12 * kMiB);
    const auto lowest = std::min(a.block(x).address, a.block(y).address);
    a.free(y), a.free(x);
    EXPECT_EQ(a.block(*a.allocate(12 * kMiB)).address, lowest);
}

TEST(CachingAllocator, AFreeBlockOfAnotherStreamIsNotTaken) {
    auto a = allocatorOf();
    a.free(*a.allocate(12 * kMiB, 0));
    const auto other = *a.allocate(12 * kMiB, 3);
    EXPECT_EQ(a.block(other).stream, 3);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(12, 12));
}

TEST(CachingAllocator, PoolsDoNotLendToEachOther) {
    auto a = allocatorOf();
    a.free(*a.allocate(12 * kMiB));  // a free block of the large pool
    a.allocate(kMiB);                // a small request brings its own 2 MiB
    EXPECT_THAT(segmentsMiB(a), ElementsAre(12, 2));
    EXPECT_EQ(a.stats().small.reservedBytes.current, 2 * kMiB);
    EXPECT_EQ(a.stats().large.reservedBytes.current, 12 * kMiB);
}

TEST(CachingAllocator, ASplitHandsOutTheLowPart) {
    auto a = allocatorOf();
    // 600 B occupy 1024 B of a 2 MiB segment; the next request lies right behind.
    const auto x = *a.allocate(600), y = *a.allocate(1);
    EXPECT_EQ(a.block(x).size, 1024);
    EXPECT_EQ(a.block(y).address, a.block(x).address + 1024);
    const auto segments = a.snapshot();
    ASSERT_EQ(segments.size(), 1U);
    ASSERT_EQ(segments[0].blocks.size(), 3U);
    EXPECT_EQ(segments[0].blocks[2].size, 2 * kMiB - 1024 - 512);
    EXPECT_EQ(a.stats().all.inactiveSplit.current, 1);
    EXPECT_EQ(a.stats().all.inactiveSplitBytes.current, 2 * kMiB - 1536);
}

TEST(CachingAllocator, AnUnsplitBlockCountsWhole) {
    auto a = allocatorOf();
    // 11 MiB bring a segment of 12; 1 MiB would remain, which is not more than 1 MiB: all 12 are handed out.
    const auto x = *a.allocate(11 * kMiB);
    EXPECT_EQ(a.block(x).size, 12 * kMiB);
    EXPECT_EQ(a.stats().all.allocatedBytes.current, 12 * kMiB);
    EXPECT_EQ(a.stats().all.requestedBytes.current, 11 * kMiB);
}

TEST(CachingAllocator, RequestsBelow10MiBShareSegmentsOf20) {
    auto a = allocatorOf();
    // 9 + 9 MiB lie in one segment; of the 2 MiB that remain 1.5 can be had; 9 more need a new one.
    a.allocate(9 * kMiB), a.allocate(9 * kMiB), a.allocate(3 * kMiB / 2), a.allocate(9 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(20, 20));
}

TEST(CachingAllocator, AFreedBlockMergesWithBothFreeNeighbors) {
    auto a = allocatorOf();
    const auto x = *a.allocate(4 * kMiB), y = *a.allocate(4 * kMiB), z = *a.allocate(4 * kMiB);
    a.free(x), a.free(z);  // z merges with the 8 MiB that remained
    EXPECT_EQ(a.snapshot()[0].blocks.size(), 3U);
    EXPECT_EQ(a.stats().all.inactiveSplit.current, 2);
    EXPECT_EQ(a.stats().all.inactiveSplitBytes.current, 16 * kMiB);
    a.free(y);
    ASSERT_EQ(a.snapshot()[0].blocks.size(), 1U);
    EXPECT_EQ(a.snapshot()[0].blocks[0].size, 20 * kMiB);
    EXPECT_EQ(a.stats().all.inactiveSplit.current, 0);
}

TEST(CachingAllocator, NeighborsInDifferentSegmentsDoNotMerge) {
    auto a = allocatorOf();
    const auto x = *a.allocate(12 * kMiB), y = *a.allocate(12 * kMiB);
    EXPECT_EQ(a.block(y).address, a.block(x).address + 12 * kMiB);
    a.free(x), a.free(y);
    a.allocate(24 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(12, 12, 24));
}

TEST(CachingAllocator, ABlockUsedByAnotherStreamWaitsForIt) {
    auto a = allocatorOf();
    const auto x = *a.allocate(12 * kMiB);
    a.recordStream(x, 1);
    a.free(x);
    // Freed, but active and still what the program asked for.
    EXPECT_EQ(a.stats().all.allocatedBytes.current, 0);
    EXPECT_EQ(a.stats().all.activeBytes.current, 12 * kMiB);
    EXPECT_EQ(a.stats().all.requestedBytes.current, 12 * kMiB);
    EXPECT_EQ(a.snapshot()[0].blocks[0].state, BlockState::Waiting);
    a.allocate(12 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(12, 12));
    a.streamDone(1);
    EXPECT_EQ(a.stats().all.activeBytes.current, 24 * kMiB);  // it returns with the next request
    a.allocate(12 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(12, 12));
    EXPECT_EQ(a.stats().all.activeBytes.current, 24 * kMiB);
}

TEST(CachingAllocator, ABlockWaitsForEveryStreamThatUsedIt) {
    auto a = allocatorOf();
    const auto x = *a.allocate(12 * kMiB);
    a.recordStream(x, 1), a.recordStream(x, 2), a.recordStream(x, 2);
    a.free(x);
    a.streamDone(1);
    a.allocate(12 * kMiB);  // stream 2 still has it
    a.streamDone(2);
    a.allocate(12 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(12, 12));
}

TEST(CachingAllocator, AStreamThatWasDoneEarlierDoesNotHelpALaterFree) {
    auto a = allocatorOf();
    const auto x = *a.allocate(12 * kMiB);
    a.recordStream(x, 1);
    a.streamDone(1);
    a.free(x);
    a.allocate(12 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(12, 12));
}

TEST(CachingAllocator, ItsOwnStreamNeedsNoWaiting) {
    auto a = allocatorOf();
    const auto x = *a.allocate(12 * kMiB, 2);
    a.recordStream(x, 2);
    a.free(x);
    EXPECT_EQ(a.stats().all.activeBytes.current, 0);
}

TEST(CachingAllocator, AWaitingBlockDoesNotMerge) {
    auto a = allocatorOf();
    const auto x = *a.allocate(4 * kMiB), y = *a.allocate(4 * kMiB);
    a.recordStream(x, 1);
    a.free(x), a.free(y);
    EXPECT_EQ(a.snapshot()[0].blocks.size(), 2U);  // x waits; y and the 12 MiB behind it are one
    a.streamDone(1);
    a.allocate(512);
    EXPECT_EQ(a.snapshot()[0].blocks.size(), 1U);
}

TEST(CachingAllocator, EmptyCacheGivesBackWholeFreeSegments) {
    auto a = allocatorOf();
    const auto kept = *a.allocate(4 * kMiB);  // its segment of 20 MiB is partly used and stays
    const auto x = *a.allocate(32 * kMiB), y = *a.allocate(kMiB);
    const auto waiting = *a.allocate(64 * kMiB);
    a.recordStream(waiting, 1);
    a.free(x), a.free(y), a.free(waiting);
    EXPECT_EQ(reserved(a), (20 + 32 + 2 + 64) * kMiB);
    a.emptyCache();  // waits for stream 1 too
    EXPECT_THAT(segmentsMiB(a), ElementsAre(20));
    EXPECT_EQ(a.stats().deviceFrees, 3);
    EXPECT_EQ(a.stats().allocationRetries, 0);
    a.free(kept);
    a.emptyCache();
    EXPECT_EQ(reserved(a), 0);
}

TEST(CachingAllocator, StatisticsOfAWorkedExample) {
    auto a = allocatorOf();
    const auto x = *a.allocate(1000);       // small: 1024 B of a 2 MiB segment
    const auto y = *a.allocate(3 * kMiB);   // large: 3 MiB of a 20 MiB segment
    const auto z = *a.allocate(23 * kMiB);  // large: a segment of 24 MiB, handed out whole (1 MiB remains)
    a.free(y);
    const auto& s = a.stats();
    EXPECT_EQ(s.all.allocations, (Gauge{2, 3}));
    EXPECT_EQ(s.small.allocations, (Gauge{1, 1}));
    EXPECT_EQ(s.all.segments, (Gauge{3, 3}));
    EXPECT_EQ(s.all.allocatedBytes, (Gauge{24 * kMiB + 1024, 27 * kMiB + 1024}));
    EXPECT_EQ(s.all.requestedBytes, (Gauge{23 * kMiB + 1000, 26 * kMiB + 1000}));
    EXPECT_EQ(s.all.reservedBytes, (Gauge{46 * kMiB, 46 * kMiB}));
    EXPECT_EQ(s.large.activeBytes, (Gauge{24 * kMiB, 27 * kMiB}));
    EXPECT_EQ(s.deviceAllocations, 3);
    a.resetPeakStats();
    EXPECT_EQ(a.stats().all.allocatedBytes, (Gauge{24 * kMiB + 1024, 24 * kMiB + 1024}));
    a.free(x), a.free(z);
    EXPECT_EQ(a.stats().all.allocatedBytes, (Gauge{0, 24 * kMiB + 1024}));
    EXPECT_EQ(a.stats().all.activeBytes.current, 0);
}

TEST(CachingAllocator, TheSnapshotTilesItsSegments) {
    auto a = allocatorOf();
    a.allocate(100, 1);
    const auto x = *a.allocate(5 * kMiB);
    a.allocate(6 * kMiB);
    a.free(x);
    const auto segments = a.snapshot();
    ASSERT_EQ(segments.size(), 2U);
    EXPECT_TRUE(segments[0].small);
    EXPECT_EQ(segments[0].stream, 1);
    EXPECT_EQ(segments[0].blocks[0].requested, 100);
    EXPECT_FALSE(segments[1].small);
    const std::vector<BlockInfo> right = {
        {segments[1].address, 5 * kMiB, 0, BlockState::Free},
        {segments[1].address + 5 * kMiB, 6 * kMiB, 6 * kMiB, BlockState::Allocated},
        {segments[1].address + 11 * kMiB, 9 * kMiB, 0, BlockState::Free}};
    EXPECT_EQ(segments[1].blocks, right);
}

}  // namespace
}  // namespace highwater::memory
