#include "tests/core/capture/replay/replay.h"

#include <gmock/gmock.h>

namespace highwater::capture {
namespace {

using base::Bytes;
using base::kMiB;
using ::testing::HasSubstr;
using Kind = HistoryEvent::Kind;
using State = HistoryBlock::State;

constexpr std::uint64_t kSegment = 0x7f0000000000;

/// A device's history, written by hand.
class Replaying : public ::testing::Test {
protected:
    void SetUp() override { history_.devices.emplace_back(); }
    DeviceHistory& device() { return history_.devices.front(); }

    void event(Kind kind, std::uint64_t address, Bytes size, std::uint64_t stream = 0) {
        device().events.push_back({kind, address, size, stream, -1, {}});
    }
    void allocate(std::uint64_t address, Bytes size) { event(Kind::Allocate, address, size); }
    void free(std::uint64_t address, Bytes size) {
        event(Kind::FreeRequested, address, size);
        event(Kind::FreeCompleted, address, size);
    }
    /// A segment at the end, with blocks of these sizes from its start; negative: free.
    void segmentAtEnd(std::uint64_t address, bool small, std::initializer_list<Bytes> blocks) {
        HistorySegment segment{address, 0, 0, small, false, {}, {}};
        for (const Bytes each : blocks) {
            const Bytes size = std::abs(each);
            segment.blocks.push_back({address + static_cast<std::uint64_t>(segment.size), size,
                                      each < 0 ? 0 : size, each < 0 ? State::Free : State::Allocated});
            segment.size += size;
        }
        device().segments.push_back(segment);
    }
    /// A request before all others, which does not affect them.
    void beginElsewhere() {
        device().events.insert(device().events.begin(),
                               {Kind::Allocate, kSegment + 60 * kMiB, 512, 0, -1, {}});
        segmentAtEnd(kSegment + 60 * kMiB, true, {512, -(2 * kMiB - 512)});
    }
    DeviceReplay play() const { return replay(history_).devices.at(0); }
    /// The first difference, or why it was not replayed, or "equal".
    std::string outcome() const {
        const DeviceReplay d = play();
        return d.difference ? std::to_string(d.difference->event) + ": " + d.difference->recorded + " / " +
                                  d.difference->predicted
               : d.notReplayed.empty() ? "equal"
                                       : d.notReplayed;
    }
    History history_;
};

TEST_F(Replaying, FromTheBeginning) {
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    allocate(kSegment + 3 * kMiB, 2 * kMiB + 5);
    event(Kind::Snapshot, 0, 0);
    free(kSegment, 3 * kMiB);
    allocate(kSegment, 2 * kMiB);  // the rest of 1 MiB is not split off
    segmentAtEnd(kSegment, false, {3 * kMiB, 2 * kMiB + 512, -(15 * kMiB - 512)});
    device().segments[0].blocks[0].requested = 2 * kMiB;
    EXPECT_EQ(outcome(), "equal");
    const DeviceReplay played = play();
    EXPECT_TRUE(played.start.empty());
    EXPECT_EQ(played.events, 7);
    EXPECT_EQ(played.allocations, 3);
    EXPECT_EQ(played.segmentsTaken, 1);
    EXPECT_EQ(played.highestReserved, 20 * kMiB);
}

TEST_F(Replaying, TheFirstDifferenceIsNamed) {
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    allocate(kSegment + 4 * kMiB, 3 * kMiB);
    segmentAtEnd(kSegment, false, {3 * kMiB, -kMiB, 3 * kMiB, -13 * kMiB});
    EXPECT_EQ(outcome(), "2: alloc 3145728 B at 0x7f0000400000 / alloc 3145728 B at 0x7f0000300000");
    EXPECT_EQ(play().allocations, 1);
}

TEST_F(Replaying, ASegmentThatWasNotNeeded) {
    event(Kind::SegmentAllocate, kSegment, 2 * kMiB);
    allocate(kSegment, 512);
    event(Kind::SegmentAllocate, kSegment + 2 * kMiB, 2 * kMiB);
    allocate(kSegment + 2 * kMiB, 512);
    segmentAtEnd(kSegment, true, {512, -(2 * kMiB - 512)});
    segmentAtEnd(kSegment + 2 * kMiB, true, {512, -(2 * kMiB - 512)});
    EXPECT_EQ(outcome(), "2: segment_alloc 2097152 B at 0x7f0000200000 / alloc 512 B at 0x7f0000000200");
}

/// The free memory belongs to another stream.
TEST_F(Replaying, ASegmentThatWasNeeded) {
    segmentAtEnd(kSegment, true, {512, 512, -(2 * kMiB - 1024)});
    event(Kind::Allocate, kSegment + 512, 512, 0x40);
    EXPECT_THAT(outcome(), HasSubstr("0: alloc 512 B at 0x7f0000000200 / segment_alloc 2097152 B"));
}

TEST_F(Replaying, TheBlocksAtTheEndAreCompared) {
    event(Kind::SegmentAllocate, kSegment, 2 * kMiB);
    allocate(kSegment, 512);
    segmentAtEnd(kSegment, true, {1024, -(2 * kMiB - 1024)});
    EXPECT_EQ(outcome(),
              "2: a block of 1024 B at 0x7f0000000000, in use / a block of 512 B at 0x7f0000000000, in use");
}

/// Adjacent segments are separate: their free parts are not one block.
TEST_F(Replaying, SegmentsSideBySide) {
    segmentAtEnd(kSegment, false, {12 * kMiB, -8 * kMiB});
    segmentAtEnd(kSegment + 20 * kMiB, false, {-8 * kMiB, 12 * kMiB});
    event(Kind::SegmentAllocate, kSegment + 60 * kMiB, 12 * kMiB);
    allocate(kSegment + 60 * kMiB, 12 * kMiB);
    segmentAtEnd(kSegment + 60 * kMiB, false, {12 * kMiB});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().start.segments, 2);
    EXPECT_EQ(play().start.blocks, 2);
    EXPECT_EQ(play().start.reserved, 40 * kMiB);
    EXPECT_EQ(play().highestReserved, 52 * kMiB);
}

/// A block of 2 MiB that holds 1 MiB more, as the block that is put behind it while it lives tells: what is
/// free there is 3 MiB, into which 3.5 MiB do not go.
TEST_F(Replaying, ARemainderBeforeAFreeBlock) {
    constexpr auto kBlock = static_cast<std::uint64_t>(3 * kMiB);
    event(Kind::SegmentAllocate, kSegment + 20 * kMiB, 20 * kMiB);
    allocate(kSegment + 20 * kMiB, 7 * kMiB / 2);
    allocate(kSegment + kBlock, 3 * kMiB);
    free(kSegment, 2 * kMiB);
    segmentAtEnd(kSegment, false, {-3 * kMiB, 3 * kMiB, 14 * kMiB});
    segmentAtEnd(kSegment + 20 * kMiB, false, {7 * kMiB / 2, -33 * kMiB / 2});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().start.blocks, 2);
}

/// The same with a free block after it in which nothing is placed: it is too small for 3.5 MiB.
TEST_F(Replaying, ARemainderThatOnlyARequestElsewhereTells) {
    event(Kind::SegmentAllocate, kSegment + 20 * kMiB, 20 * kMiB);
    allocate(kSegment + 20 * kMiB, 7 * kMiB / 2);
    free(kSegment, 2 * kMiB);
    segmentAtEnd(kSegment, false, {-6 * kMiB, 14 * kMiB});
    segmentAtEnd(kSegment + 20 * kMiB, false, {7 * kMiB / 2, -33 * kMiB / 2});
    beginElsewhere();
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().readings, 2);
    // No remainder is larger than 1 MiB.
    device().segments.front().blocks = {{kSegment, 7 * kMiB, 0, State::Free},
                                        {kSegment + 7 * kMiB, 13 * kMiB, 13 * kMiB, State::Allocated}};
    EXPECT_EQ(outcome(), "1: segment_alloc 20971520 B at 0x7f0001400000 / alloc 3670016 B at 0x7f0000200000");
}

TEST_F(Replaying, TheCacheEmptiedByTheProgram) {
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    free(kSegment, 3 * kMiB);
    event(Kind::SegmentFree, kSegment, 20 * kMiB);
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    segmentAtEnd(kSegment, false, {3 * kMiB, -17 * kMiB});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().emptied, 1);
    EXPECT_EQ(play().refused, 0);
}

TEST_F(Replaying, MemoryThatWentBackForARequest) {
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    free(kSegment, 3 * kMiB);
    event(Kind::SegmentFree, kSegment, 20 * kMiB);
    event(Kind::SegmentAllocate, kSegment, 30 * kMiB);
    allocate(kSegment, 30 * kMiB);
    segmentAtEnd(kSegment, false, {30 * kMiB});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().emptied, 0);
    EXPECT_EQ(play().refused, 1);
}

TEST_F(Replaying, OutOfMemory) {
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    event(Kind::OutOfMemory, 29 * kMiB, 30 * kMiB);
    segmentAtEnd(kSegment, false, {3 * kMiB, -17 * kMiB});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().outOfMemories, 1);
    EXPECT_EQ(play().capacity, 49 * kMiB);
    device().events.back().address = 30 * kMiB;
    EXPECT_THAT(outcome(), HasSubstr("2: oom, 31457280 B free on the device / 31457280 B are enough"));
    device().events.back().size = 17 * kMiB;
    EXPECT_EQ(outcome(), "2: oom, 17825792 B requested / alloc 17825792 B at 0x7f0000300000");
}

TEST_F(Replaying, ABlockThatAnotherStreamUses) {
    event(Kind::SegmentAllocate, kSegment, 2 * kMiB);
    allocate(kSegment, 512);
    event(Kind::FreeRequested, kSegment, 512);
    allocate(kSegment + 512, 512);
    event(Kind::FreeCompleted, kSegment, 512);
    allocate(kSegment, 512);
    segmentAtEnd(kSegment, true, {512, 512, -(2 * kMiB - 1024)});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().waited, 1);
}

/// A block may have been returned while the allocator waited for all streams: too late for the request.
TEST_F(Replaying, ABlockThatCameBackTooLate) {
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    allocate(kSegment + 3 * kMiB, 17 * kMiB);
    free(kSegment, 3 * kMiB);
    event(Kind::OutOfMemory, 0, 3 * kMiB);
    segmentAtEnd(kSegment, false, {-3 * kMiB, 17 * kMiB});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().readings, 1);
    history_.settings.emplace().maxSplitSize = 32 * kMiB;
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().readings, 2);
    event(Kind::OutOfMemory, 0, 3 * kMiB);  // now it is available
    EXPECT_EQ(outcome(), "6: oom, 3145728 B requested / alloc 3145728 B at 0x7f0000000000");
}

/// The program emptied the cache, for which the block came back; then it served the request.
TEST_F(Replaying, ABlockThatCameBackAsTheCacheWasEmptied) {
    event(Kind::SegmentAllocate, kSegment, 20 * kMiB);
    allocate(kSegment, 3 * kMiB);
    allocate(kSegment + 3 * kMiB, 17 * kMiB);
    event(Kind::SegmentAllocate, kSegment + 20 * kMiB, 2 * kMiB);
    allocate(kSegment + 20 * kMiB, 512);
    free(kSegment + 20 * kMiB, 512);
    free(kSegment, 3 * kMiB);
    event(Kind::SegmentFree, kSegment + 20 * kMiB, 2 * kMiB);
    allocate(kSegment, 3 * kMiB);
    segmentAtEnd(kSegment, false, {3 * kMiB, 17 * kMiB});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().emptied, 1);
}

/// The memory returned for the first request was not recorded.
TEST_F(Replaying, BegunInTheMidstOfARequest) {
    event(Kind::OutOfMemory, 0, 3 * kMiB);
    allocate(kSegment, 3 * kMiB);
    segmentAtEnd(kSegment, false, {3 * kMiB, 17 * kMiB});
    EXPECT_EQ(outcome(), "equal");
    EXPECT_EQ(play().outOfMemories, 0);
    EXPECT_EQ(play().allocations, 1);
    beginElsewhere();
    EXPECT_EQ(outcome(), "1: oom, 3145728 B requested / alloc 3145728 B at 0x7f0000000000");
}

TEST_F(Replaying, ExpandableSegments) {
    event(Kind::SegmentMap, kSegment, 20 * kMiB);
    allocate(kSegment, 15 * kMiB);
    event(Kind::SegmentMap, kSegment + 20 * kMiB, 20 * kMiB);
    allocate(kSegment + 15 * kMiB, 15 * kMiB);
    segmentAtEnd(kSegment, false, {15 * kMiB, 15 * kMiB, -10 * kMiB});
    device().segments.front().expandable = true;
    EXPECT_EQ(outcome(), "equal");
    EXPECT_TRUE(play().expandable);
    device().events.erase(device().events.begin(), device().events.begin() + 2);
    EXPECT_THAT(outcome(), HasSubstr("expandable segments were there before"));
}

TEST_F(Replaying, SaysWhyNot) {
    segmentAtEnd(kSegment, true, {512, -(2 * kMiB - 512)});
    event(Kind::Snapshot, 0, 0);
    EXPECT_THAT(outcome(), HasSubstr("no history"));
    free(kSegment, 512);
    EXPECT_THAT(outcome(), HasSubstr("contradicts itself: event 2, free_completed 512 B at 0x7f0000000000"));
    device().segments.front().pool = {1, 0};
    EXPECT_THAT(outcome(), HasSubstr("private pools"));
    device().segments.front().pool = {};
    event(Kind::SegmentMap, kSegment, 2 * kMiB);
    EXPECT_THAT(outcome(), HasSubstr("expandable segments beside others"));
    device().events.pop_back();
    event(Kind::Allocate, kSegment, 0);
    EXPECT_THAT(outcome(), HasSubstr("event 3 makes no sense"));
    device().events.back() = {Kind::Allocate, ~std::uint64_t{0}, 512, 0, -1, {}};
    EXPECT_THAT(outcome(), HasSubstr("event 3 makes no sense"));
    history_.own = true;
    EXPECT_THAT(outcome(), HasSubstr("written by Highwater"));
}

TEST_F(Replaying, SegmentsThatOverlap) {
    segmentAtEnd(kSegment, true, {512, -(2 * kMiB - 512)});
    segmentAtEnd(kSegment + 1024, true, {-2 * kMiB});
    free(kSegment + 512, 512);
    EXPECT_THAT(outcome(), HasSubstr("contradicts itself"));
}

}  // namespace
}  // namespace highwater::capture
