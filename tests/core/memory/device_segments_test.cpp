#include "core/memory/device_segments.h"

#include <gtest/gtest.h>

#include "tests/core/memory/allocator_fixture.h"

namespace highwater::memory {
namespace {

using testing::Bytes;
using testing::kKiB;
using testing::kMiB;
using SegmentKind = DeviceEvent::Kind;

constexpr std::int64_t kBase = std::int64_t{0x7f} << 32;

/// Hand-written events, at addresses from kBase on.
class Picture {
public:
    explicit Picture(const AllocatorConfig& config = {}) : segments(config) {}

    std::optional<BlockInfo> take(SegmentKind kind, std::int64_t at, Bytes bytes, std::uint64_t stream = 0) {
        return segments.take({kind, kBase + at, bytes, stream});
    }
    /// The size of the block; 0 if the event was ignored.
    Bytes allocate(std::int64_t at, Bytes bytes) {
        const auto block = take(SegmentKind::Allocate, at, bytes);
        return block ? block->size : 0;
    }
    void free(std::int64_t at) {
        take(SegmentKind::FreeRequested, at, 0);
        take(SegmentKind::FreeCompleted, at, 0);
    }
    const SegmentTotals& totals() const { return segments.totals(); }
    Bytes ignored() const { return segments.counts().inconsistencies; }

    DeviceSegments segments;
};

TEST(DeviceSegments, RoundsToWholeBlocksAndSplitsTheRest) {
    Picture p;
    p.take(SegmentKind::SegmentAllocate, 0, 2 * kMiB);
    EXPECT_EQ(p.totals(), (SegmentTotals{.cache = 2 * kMiB}));
    EXPECT_EQ(p.allocate(0, 1), 512);
    EXPECT_EQ(p.allocate(512, 513), 1024);
    EXPECT_EQ(p.totals(), (SegmentTotals{.requested = 514, .rounding = 1022, .split = 2 * kMiB - 1536}));
    EXPECT_EQ(p.totals().allocated(), 1536);
    EXPECT_EQ(p.totals().reserved(), 2 * kMiB);
    p.free(512);
    p.free(0);
    EXPECT_EQ(p.totals(), (SegmentTotals{.cache = 2 * kMiB}));
    p.take(SegmentKind::SegmentFree, 0, 2 * kMiB);
    EXPECT_EQ(p.totals(), SegmentTotals{});
    EXPECT_EQ(p.ignored(), 0);
}

TEST(DeviceSegments, KeepsTheLastBytesOfASmallSegmentOnlyBelow512) {
    AllocatorConfig unrounded;
    unrounded.era = AllocatorEra::Torch2_0;
    unrounded.roundupDivisions.fill(1);
    Picture p(unrounded);
    p.take(SegmentKind::SegmentAllocate, 0, 2 * kMiB);
    EXPECT_EQ(p.allocate(0, kMiB), kMiB);
    EXPECT_EQ(p.allocate(kMiB, kMiB - 512), kMiB - 512);
    p.free(kMiB);
    EXPECT_EQ(p.allocate(kMiB, kMiB - 511), kMiB);
    EXPECT_EQ(p.totals().rounding, 511);
    EXPECT_EQ(p.totals().split, 0);
}

TEST(DeviceSegments, KeepsUpToAMebibyteOfALargeSegment) {
    Picture p;
    p.take(SegmentKind::SegmentAllocate, 0, 20 * kMiB);
    EXPECT_EQ(p.allocate(0, 19 * kMiB), 20 * kMiB);
    EXPECT_EQ(p.totals(), (SegmentTotals{.requested = 19 * kMiB, .rounding = kMiB}));
    p.free(0);
    EXPECT_EQ(p.allocate(0, 19 * kMiB - 512), 19 * kMiB - 512);
    EXPECT_EQ(p.totals().split, kMiB + 512);
}

TEST(DeviceSegments, NeitherSplitsNorServesBelowMaxSplitSize) {
    AllocatorConfig config;
    config.maxSplitSize = 32 * kMiB;
    Picture p(config);
    p.take(SegmentKind::SegmentAllocate, 0, 48 * kMiB);
    EXPECT_EQ(p.segments.largestFit(), 48 * kMiB);
    EXPECT_EQ(p.allocate(0, 40 * kMiB), 48 * kMiB);
    p.take(SegmentKind::SegmentAllocate, 64 * kMiB, 30 * kMiB);
    EXPECT_EQ(p.allocate(64 * kMiB, 20 * kMiB), 20 * kMiB);
    EXPECT_EQ(p.totals().rounding, 8 * kMiB);
}

TEST(DeviceSegments, RoundsToDivisionsOfPowersOfTwo) {
    AllocatorConfig config;
    config.roundupDivisions.fill(4);
    Picture p(config);
    p.take(SegmentKind::SegmentAllocate, 0, 20 * kMiB);
    EXPECT_EQ(p.allocate(0, 4 * kMiB + 1), 5 * kMiB);
    EXPECT_EQ(p.segments.largestFit(), 14 * kMiB) << "15 MiB less a byte rounds to 16";
    p.segments.configure({});
    EXPECT_EQ(p.allocate(5 * kMiB, 4 * kMiB + 1), 4 * kMiB + 512);
}

TEST(DeviceSegments, WaitsForOtherStreams) {
    Picture p;
    p.take(SegmentKind::SegmentAllocate, 0, 2 * kMiB);
    p.allocate(0, 1000);
    const auto freed = p.take(SegmentKind::FreeRequested, 0, 1000);
    EXPECT_EQ(freed, (BlockInfo{kBase, 1024, 1000, BlockState::Allocated}));
    EXPECT_EQ(p.totals(),
              (SegmentTotals{.split = 2 * kMiB - 1024, .pending = 1024, .pendingRequested = 1000}));
    EXPECT_EQ(p.totals().allocated(), 0);
    EXPECT_EQ(p.totals().active(), 1024);
    EXPECT_EQ(p.segments.counts().pending, 1);
    const auto done = p.take(SegmentKind::FreeCompleted, 0, 1000);
    EXPECT_EQ(done, (BlockInfo{kBase, 1024, 1000, BlockState::Waiting}));
    EXPECT_EQ(p.totals(), (SegmentTotals{.cache = 2 * kMiB}));
}

TEST(DeviceSegments, DoesNotJoinSegmentsThatMeet) {
    Picture p;
    p.take(SegmentKind::SegmentAllocate, 0, 20 * kMiB);
    p.take(SegmentKind::SegmentAllocate, 20 * kMiB, 20 * kMiB);
    EXPECT_EQ(p.segments.largestFree(), 20 * kMiB);
    EXPECT_EQ(p.allocate(0, 24 * kMiB), 0);
    EXPECT_EQ(p.ignored(), 1);
    EXPECT_EQ(p.segments.snapshot().size(), 2U);
    EXPECT_EQ(p.segments.counts().segments, 2);
}

TEST(DeviceSegments, JoinsMappedMemoryAndGivesBackWholeUnits) {
    AllocatorConfig config;
    config.expandableSegments = true;
    Picture p(config);
    p.take(SegmentKind::SegmentMap, 0, 20 * kMiB);
    EXPECT_EQ(p.allocate(0, 19 * kMiB), 19 * kMiB) << "an expandable segment keeps less than 512 B only";
    p.take(SegmentKind::SegmentMap, 20 * kMiB, 40 * kMiB);
    EXPECT_EQ(p.totals(), (SegmentTotals{.requested = 19 * kMiB, .split = kMiB, .cache = 40 * kMiB}));
    EXPECT_EQ(p.segments.largestFree(), 41 * kMiB);
    EXPECT_EQ(p.allocate(19 * kMiB, 10 * kMiB), 10 * kMiB);
    EXPECT_EQ(p.totals().split, 11 * kMiB);
    EXPECT_EQ(p.totals().cache, 20 * kMiB);
    ASSERT_EQ(p.segments.snapshot().size(), 1U);
    p.take(SegmentKind::SegmentUnmap, 40 * kMiB, 20 * kMiB);
    EXPECT_EQ(p.totals(), (SegmentTotals{.requested = 29 * kMiB, .split = 11 * kMiB}));
    p.free(0);
    p.take(SegmentKind::SegmentUnmap, 0, 20 * kMiB);
    EXPECT_EQ(p.ignored(), 1) << "the second unit's first bytes are free, the first unit's last are not";
    p.free(19 * kMiB);
    p.take(SegmentKind::SegmentUnmap, 20 * kMiB, 20 * kMiB);
    EXPECT_EQ(p.totals(), (SegmentTotals{.cache = 20 * kMiB}));
    EXPECT_EQ(p.segments.snapshot().front().size, 20 * kMiB);
    EXPECT_EQ(p.segments.counts().segments, 0) << "expandable segments are not counted";
}

TEST(DeviceSegments, UnmapsTheMiddleOfASegment) {
    Picture p;
    p.take(SegmentKind::SegmentMap, 0, 60 * kMiB);
    p.take(SegmentKind::SegmentUnmap, 20 * kMiB, 20 * kMiB);
    const auto apart = p.segments.snapshot();
    ASSERT_EQ(apart.size(), 2U);
    EXPECT_EQ(apart[1].address, kBase + 40 * kMiB);
    EXPECT_EQ(apart[1].blocks.size(), 1U);
    EXPECT_EQ(p.totals(), (SegmentTotals{.cache = 40 * kMiB}));
    p.take(SegmentKind::SegmentMap, 20 * kMiB, 20 * kMiB);
    ASSERT_EQ(p.segments.snapshot().size(), 1U);
    EXPECT_EQ(p.segments.largestFree(), 60 * kMiB);
    EXPECT_EQ(p.ignored(), 0);
}

TEST(DeviceSegments, DoesNotJoinMappedMemoryOfTwoStreamsOrPools) {
    Picture p;
    p.take(SegmentKind::SegmentMap, 0, 20 * kMiB, 7);
    p.take(SegmentKind::SegmentMap, 20 * kMiB, 20 * kMiB, 9);
    p.take(SegmentKind::SegmentMap, 40 * kMiB, 2 * kMiB, 9);
    const auto segments = p.segments.snapshot();
    ASSERT_EQ(segments.size(), 3U);
    EXPECT_EQ(segments[0].stream, 1);
    EXPECT_EQ(segments[1].stream, 2);
    EXPECT_EQ(segments[2].stream, 2);
    EXPECT_TRUE(segments[2].small);
    EXPECT_TRUE(segments[2].expandable);
    EXPECT_EQ(p.segments.largestFit(7), 20 * kMiB);
    EXPECT_EQ(p.segments.largestFit(8), 0) << "a stream that has no memory";
}

TEST(DeviceSegments, SaysWhatFitsWithoutANewSegment) {
    Picture p;
    EXPECT_EQ(p.segments.largestFit(), 0);
    p.take(SegmentKind::SegmentAllocate, 0, 2 * kMiB);
    EXPECT_EQ(p.segments.largestFit(), kMiB) << "larger requests do not come from a small segment";
    p.take(SegmentKind::SegmentAllocate, 20 * kMiB, 20 * kMiB);
    EXPECT_EQ(p.segments.largestFit(), 20 * kMiB);
    p.allocate(20 * kMiB, 18 * kMiB);
    EXPECT_EQ(p.segments.largestFit(), 2 * kMiB);
    p.allocate(0, 600 * kKiB);
    p.allocate(600 * kKiB, 600 * kKiB);
    p.allocate(38 * kMiB, 2 * kMiB);
    EXPECT_EQ(p.segments.largestFit(), 848 * kKiB);
}

TEST(DeviceSegments, CountsRetriesAndWhatDoesNotLookLikeOne) {
    Picture p;
    p.take(SegmentKind::SegmentAllocate, 0, 20 * kMiB);
    p.allocate(0, 12 * kMiB);
    p.free(0);
    p.take(SegmentKind::SegmentFree, 0, 20 * kMiB);
    p.take(SegmentKind::SegmentAllocate, 0, 40 * kMiB);
    p.allocate(0, 40 * kMiB);
    EXPECT_EQ(p.segments.counts().retries, 1);
    p.free(0);
    p.take(SegmentKind::SegmentFree, 0, 40 * kMiB);
    p.segments.cacheEmptied();
    p.take(SegmentKind::SegmentAllocate, 0, 40 * kMiB);
    p.allocate(0, 40 * kMiB);
    EXPECT_EQ(p.segments.counts().retries, 1);
    p.segments.take({SegmentKind::OutOfMemory, 5 * kMiB, 80 * kMiB, 0});
    EXPECT_EQ(p.segments.counts().retries, 2) << "the last attempt of a request that fails is a retry";
    EXPECT_EQ(p.segments.counts().outOfMemories, 1);
    EXPECT_EQ(p.segments.counts().deviceAllocations, 3);
    EXPECT_EQ(p.segments.counts().deviceFrees, 2);
}

TEST(DeviceSegments, CountsARetryOnceThatMapsAndFails) {
    Picture p;
    p.take(SegmentKind::SegmentMap, 0, 20 * kMiB);
    p.take(SegmentKind::SegmentUnmap, 0, 20 * kMiB);
    p.take(SegmentKind::SegmentMap, 0, 20 * kMiB);
    p.take(SegmentKind::SegmentMap, 20 * kMiB, 20 * kMiB);
    p.segments.take({SegmentKind::OutOfMemory, 0, 80 * kMiB, 0});
    EXPECT_EQ(p.segments.counts().retries, 1);
}

TEST(DeviceSegments, IgnoresAndCountsWhatContradictsThePicture) {
    Picture p;
    p.take(SegmentKind::SegmentAllocate, 0, 20 * kMiB);
    p.allocate(0, 4 * kMiB);
    const SegmentTotals before = p.totals();
    const DeviceEvent wrong[] = {
        {SegmentKind::Allocate, kBase, 512},                         // in use
        {SegmentKind::Allocate, kBase + 5 * kMiB, 512},              // not the front of a free range
        {SegmentKind::Allocate, kBase + 4 * kMiB, 17 * kMiB},        // more than there is
        {SegmentKind::Allocate, kBase + 4 * kMiB, 0},                // nothing
        {SegmentKind::Allocate, kBase + 4 * kMiB, -1},               // less than nothing
        {SegmentKind::Allocate, kBase + 4 * kMiB, INT64_MAX},        // beyond 64 bits once rounded
        {SegmentKind::Allocate, 4096, 512},                          // unknown
        {SegmentKind::FreeRequested, kBase + 4 * kMiB, 512},         // free already
        {SegmentKind::FreeRequested, 4096, 512},                     // unknown
        {SegmentKind::FreeCompleted, kBase, 4 * kMiB},               // not requested
        {SegmentKind::SegmentAllocate, kBase + 2 * kMiB, 2 * kMiB},  // inside another
        {SegmentKind::SegmentAllocate, kBase - kMiB, 2 * kMiB},      // overlaps another
        {SegmentKind::SegmentAllocate, INT64_MAX - 5, 2 * kMiB},     // beyond 64 bits
        {SegmentKind::SegmentAllocate, 4096, INT64_MAX},             // beyond 64 bits
        {SegmentKind::SegmentAllocate, 0, 2 * kMiB},                 // the null pointer
        {SegmentKind::SegmentFree, kBase, 20 * kMiB},                // in use
        {SegmentKind::SegmentFree, kBase + 4 * kMiB, 16 * kMiB},     // no segment
        {SegmentKind::SegmentMap, kBase + 100 * kMiB, 3 * kMiB},     // not in units
        {SegmentKind::SegmentMap, kBase, 20 * kMiB},                 // overlaps another
        {SegmentKind::SegmentUnmap, kBase + 10 * kMiB, 2 * kMiB},    // not expandable
        {SegmentKind::SegmentUnmap, 4096, 2 * kMiB},                 // unknown
        {static_cast<SegmentKind>(99), kBase, 2 * kMiB},             // no such event
    };
    for (const auto& event : wrong) {
        EXPECT_EQ(p.segments.take(event), std::nullopt);
    }
    EXPECT_EQ(p.ignored(), static_cast<Bytes>(std::size(wrong)));
    EXPECT_EQ(p.totals(), before);
    EXPECT_EQ(p.segments.snapshot().size(), 1U);
}

TEST(DeviceSegments, NumbersStreamsWithoutEnd) {
    Picture p;
    for (std::int64_t i = 0; i < 3000; ++i) {
        p.take(SegmentKind::SegmentAllocate, i * 2 * kMiB, 2 * kMiB, static_cast<std::uint64_t>(i));
    }
    EXPECT_EQ(p.segments.snapshot().back().stream, kMostStreams - 1);
    EXPECT_EQ(p.ignored(), 0);
}

}  // namespace
}  // namespace highwater::memory
