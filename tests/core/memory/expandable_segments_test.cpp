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

AllocatorConfig expandable() {
    AllocatorConfig config;
    config.expandableSegments = true;
    return config;
}

TEST(ExpandableSegments, GrowInUnitsOf20MiB) {
    auto a = allocatorOf(expandable());
    const auto x = *a.allocate(12 * kMiB);
    EXPECT_EQ(a.block(x).size, 12 * kMiB);  // 8 MiB of the unit remain
    EXPECT_EQ(reserved(a), 20 * kMiB);
    const auto y = *a.allocate(15 * kMiB);  // the 8 and one more unit: 13 MiB remain
    EXPECT_EQ(a.block(y).address, a.block(x).address + 12 * kMiB);
    EXPECT_EQ(reserved(a), 40 * kMiB);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(40));
    EXPECT_EQ(a.stats().deviceAllocations, 2);
    EXPECT_EQ(a.stats().all.segments.current, 0);
    EXPECT_EQ(a.stats().all.inactiveSplit.peak, 0);
}

TEST(ExpandableSegments, GrowInUnitsOf2MiBInTheSmallPool) {
    auto a = allocatorOf(expandable());
    for (int i = 0; i < 3; ++i) {
        a.allocate(kMiB - 512);
    }
    // 3 x (1 MiB - 512 B) do not fit in 2 MiB: two units.
    EXPECT_THAT(segmentsMiB(a), ElementsAre(4));
    EXPECT_EQ(a.stats().small.reservedBytes.current, 4 * kMiB);
}

TEST(ExpandableSegments, AreOneForEachStreamAndPool) {
    auto a = allocatorOf(expandable());
    a.allocate(12 * kMiB, 0), a.allocate(12 * kMiB, 1), a.allocate(512, 0), a.allocate(512, 1);
    EXPECT_THAT(segmentsMiB(a), ElementsAre(20, 20, 2, 2));
    // Each has addresses for 9/8 of the device, in whole units.
    const auto s = a.snapshot();
    const Bytes range = 18 * testing::kGiB;
    EXPECT_EQ(s[1].address - s[0].address, (range + 20 * kMiB - 1) / (20 * kMiB) * (20 * kMiB));
}

TEST(ExpandableSegments, ALargerRequestUsesWhatIsFreeAtTheEnd) {
    auto a = allocatorOf(expandable(), 100 * kMiB);
    a.free(*a.allocate(60 * kMiB));
    // Ordinary segments would need 60 + 80 here, or give the 60 back first.
    ASSERT_TRUE(a.allocate(80 * kMiB));
    EXPECT_EQ(reserved(a), 80 * kMiB);
    EXPECT_EQ(a.stats().allocationRetries, 0);
}

TEST(ExpandableSegments, BestFitCountsTheRoomABlockCanGrowInto) {
    auto a = allocatorOf(expandable());
    // x (10 MiB) lies before k; the end of the segment has 20 x 2 - 22 = 18 MiB free, and grows.
    const auto x = *a.allocate(10 * kMiB);
    a.allocate(5 * kMiB);
    const auto y = *a.allocate(12 * kMiB);
    a.allocate(5 * kMiB);
    const auto place = a.block(y).address;
    a.free(x), a.free(y);
    // Free: 10 (x), 12 (y) and 8 at the end, which can grow to 18 GiB. For 7 MiB the 8 fit best by size, but
    // count with what they can grow into: 10, the next, is smaller; then 12 is not smaller than 10.
    const auto z = *a.allocate(7 * kMiB);
    EXPECT_NE(a.block(z).address, place);
    EXPECT_EQ(a.block(z).address, a.snapshot()[0].address);  // where x was
}

TEST(ExpandableSegments, EmptyCacheTakesWholeFreeUnits) {
    auto a = allocatorOf(expandable());
    const auto x = *a.allocate(30 * kMiB);
    a.allocate(5 * kMiB);
    const auto y = *a.allocate(60 * kMiB);  // 30 + 5 + 60 = 95 of 100 mapped
    a.free(x), a.free(y);
    a.emptyCache();
    // x held [0, 30): the unit [0, 20) goes. y and the rest held [35, 100): [40, 100) goes.
    EXPECT_EQ(reserved(a), 20 * kMiB);
    EXPECT_EQ(a.stats().deviceFrees, 2);
    const auto s = a.snapshot();
    ASSERT_EQ(s.size(), 1U);
    ASSERT_EQ(s[0].blocks.size(), 3U);  // [20, 30) free, [30, 35) in use, [35, 40) free
    EXPECT_EQ(s[0].blocks[0].size, 10 * kMiB);
    EXPECT_EQ(s[0].blocks[1].state, BlockState::Allocated);
    EXPECT_EQ(s[0].blocks[2].size, 5 * kMiB);
}

TEST(ExpandableSegments, FillTheLowestGapFirst) {
    auto a = allocatorOf(expandable());
    const auto x = *a.allocate(40 * kMiB);
    a.allocate(20 * kMiB);
    const auto base = a.block(x).address;
    a.free(x);
    a.emptyCache();  // [0, 40) unmapped, [40, 60) in use
    EXPECT_EQ(a.block(*a.allocate(30 * kMiB)).address, base);
    EXPECT_EQ(reserved(a), 60 * kMiB);  // two units mapped again
    EXPECT_EQ(a.block(*a.allocate(30 * kMiB)).address, base + 60 * kMiB);
}

TEST(ExpandableSegments, AFreeBlockBeforeAGapIsPartOfTheRoom) {
    auto a = allocatorOf(expandable());
    const auto k = *a.allocate(10 * kMiB), x = *a.allocate(50 * kMiB);
    a.allocate(20 * kMiB);
    const auto base = a.block(k).address;
    a.free(x);
    a.emptyCache();  // [0, 10) in use, [10, 20) free, [20, 60) unmapped, [60, 80) in use
    EXPECT_EQ(reserved(a), 40 * kMiB);
    EXPECT_EQ(a.block(*a.allocate(45 * kMiB)).address, base + 10 * kMiB);
    EXPECT_EQ(reserved(a), 80 * kMiB);
}

TEST(ExpandableSegments, ASegmentWithoutMemoryDisappears) {
    auto a = allocatorOf(expandable());
    const auto x = *a.allocate(12 * kMiB);
    const auto first = a.block(x).address;
    a.free(x);
    a.emptyCache();
    EXPECT_THAT(a.snapshot(), IsEmpty());
    EXPECT_GT(a.block(*a.allocate(12 * kMiB)).address, first);  // a new range of addresses
}

TEST(ExpandableSegments, FreeMappedAndUnmappedNeighborsStayApart) {
    auto a = allocatorOf(expandable());
    const auto x = *a.allocate(12 * kMiB);
    a.free(x);
    ASSERT_EQ(a.snapshot().size(), 1U);
    EXPECT_EQ(a.snapshot()[0].size, 20 * kMiB);  // the unmapped rest of the range has not joined
    EXPECT_EQ(a.snapshot()[0].blocks.size(), 1U);
}

TEST(ExpandableSegments, UnitsOfOtherStreamsAreGivenBackUnderPressure) {
    auto a = allocatorOf(expandable(), 100 * kMiB);
    a.free(*a.allocate(60 * kMiB, 1));
    ASSERT_TRUE(a.allocate(80 * kMiB, 0));
    EXPECT_EQ(reserved(a), 80 * kMiB);
    EXPECT_EQ(a.stats().allocationRetries, 1);
}

TEST(ExpandableSegments, OutOfMemoryCountsUnitsThatCannotGoBack) {
    auto a = allocatorOf(expandable(), 100 * kMiB);
    a.allocate(12 * kMiB, 1);  // 8 of its 20 MiB are of no use to stream 0
    EXPECT_FALSE(a.allocate(85 * kMiB, 0));
    const OutOfMemory& why = *a.outOfMemory();
    EXPECT_EQ(why.reserved, 20 * kMiB);
    EXPECT_EQ(why.fragmented(), 8 * kMiB);
    EXPECT_EQ(why.largestFree, 8 * kMiB);
    EXPECT_EQ(why.deviceFree(), 80 * kMiB);
    EXPECT_TRUE(why.fragmentationDecided());  // 80 + 8 >= 85
}

TEST(ExpandableSegments, MemoryMappedBeforeARefusalStaysCachedUntilTheRetry) {
    auto a = allocatorOf(expandable(), 100 * kMiB);
    const auto x = *a.allocate(20 * kMiB), k = *a.allocate(20 * kMiB);
    a.free(x);
    a.emptyCache();                         // [0, 20) unmapped, k in [20, 40)
    const auto y = *a.allocate(40 * kMiB);  // [40, 80)
    EXPECT_EQ(a.block(y).address, a.block(k).address + 20 * kMiB);
    a.free(k);  // [0, 20) unmapped, [20, 40) free, y
    // 70 MiB: the only room is [80, ...), which needs 4 units where 40 MiB are left. The retry gives [20, 40)
    // back, leaving 60: still not enough.
    EXPECT_FALSE(a.allocate(70 * kMiB));
    EXPECT_EQ(reserved(a), 40 * kMiB);
    EXPECT_EQ(a.stats().all.reservedBytes.peak, 60 * kMiB);
    // 30 MiB fit in [0, 40), for which two units are mapped: the lowest room.
    EXPECT_EQ(a.block(*a.allocate(30 * kMiB)).address, a.block(y).address - 40 * kMiB);
}

TEST(ExpandableSegments, MoreThanTheRangeOfAddressesIsOutOfMemory) {
    auto a = allocatorOf(expandable(), 100 * kMiB);
    EXPECT_FALSE(a.allocate(500 * kMiB));
    EXPECT_EQ(reserved(a), 0);
    EXPECT_TRUE(a.allocate(100 * kMiB));
}

TEST(ExpandableSegments, MaxSplitSizeNeitherKeepsBlocksWholeNorGivesThemBack) {
    auto config = expandable();
    config.maxSplitSize = 32 * kMiB;
    auto a = allocatorOf(config, 100 * kMiB);
    const auto x = *a.allocate(60 * kMiB);
    const auto base = a.block(x).address;
    a.free(x);
    // The best fit of 60 MiB is refused to a smaller request, which then finds the same place as growing
    // room.
    EXPECT_EQ(a.block(*a.allocate(10 * kMiB)).address, base);
    EXPECT_EQ(reserved(a), 60 * kMiB);
    EXPECT_EQ(a.block(*a.allocate(40 * kMiB)).address, base + 10 * kMiB);  // split from the 50
    EXPECT_EQ(reserved(a), 60 * kMiB);
}

}  // namespace
}  // namespace highwater::memory
