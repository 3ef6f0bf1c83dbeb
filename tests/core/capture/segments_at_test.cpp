#include "core/capture/segments_at.h"

#include <gmock/gmock.h>

#include "tests/core/capture/replay/recorder.h"

namespace highwater::capture {
namespace {

using State = HistoryBlock::State;

/// The blocks in use and waiting, by address.
std::vector<HistoryBlock> livingIn(const std::vector<HistorySegment>& segments) {
    std::vector<HistoryBlock> living;
    for (const HistorySegment& segment : segments) {
        for (const HistoryBlock& block : segment.blocks) {
            if (block.state != State::Free) {
                living.push_back(block);
            }
        }
    }
    std::ranges::sort(living, {}, &HistoryBlock::address);
    return living;
}

std::vector<std::pair<std::uint64_t, base::Bytes>> rangesOf(const std::vector<HistorySegment>& segments) {
    std::vector<std::pair<std::uint64_t, base::Bytes>> ranges;
    for (const HistorySegment& segment : segments) {
        ranges.emplace_back(segment.address, segment.size);
        base::Bytes blocks = 0;
        for (const HistoryBlock& block : segment.blocks) {
            blocks += block.size;
        }
        EXPECT_EQ(blocks, segment.size) << "the blocks cover the segment";
    }
    std::ranges::sort(ranges);
    return ranges;
}

void expectSame(const std::vector<HistorySegment>& undone, const std::vector<HistorySegment>& then) {
    EXPECT_EQ(rangesOf(undone), rangesOf(then));
    const auto found = livingIn(undone), real = livingIn(then);
    ASSERT_EQ(found.size(), real.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].address, real[i].address);
        EXPECT_EQ(found[i].requested, real[i].requested);
        EXPECT_EQ(found[i].state, real[i].state) << i;
        EXPECT_LE(found[i].size, real[i].size);
        EXPECT_GE(found[i].size, real[i].requested);
    }
}

TEST(SegmentsAt, UndoesWhatAnAllocatorDid) {
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        memory::AllocatorConfig config;
        config.expandableSegments = seed % 2 == 0;
        test::Recorder recorder(config, 400 * base::kMiB);
        test::runProgram(recorder, seed, 150);
        const History before = recorder.history();
        test::runProgram(recorder, seed + 1000, 150);
        const History after = recorder.history();
        const DeviceHistory &then = before.devices[0], &now = after.devices[0];
        const auto undone = segmentsAt(now.events, then.events.size(), now.segments);
        ASSERT_TRUE(undone);
        expectSame(*undone, then.segments);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
        const auto end = segmentsAt(now.events, now.events.size(), now.segments);
        EXPECT_EQ(livingIn(*end).size(), livingIn(now.segments).size());
        const auto begin = segmentsAt(now.events, 0, now.segments);
        EXPECT_TRUE(livingIn(*begin).empty()) << "nothing was dropped, so nothing was there before";
        EXPECT_TRUE(begin->empty());
    }
}

TEST(SegmentsAt, AgesAndStacksAreThoseOfTheMoment) {
    using Event = HistoryEvent::Kind;
    std::vector<HistoryEvent> events = {{Event::SegmentAllocate, 4096, 2 << 20, 0, 100, {}, 1},
                                        {Event::Allocate, 4096, 1000, 0, 110, {}, 5},
                                        {Event::Allocate, 8192, 600, 0, 130, {}, 6},
                                        {Event::FreeRequested, 4096, 1000, 0, 140, {}, 7},
                                        {Event::FreeCompleted, 4096, 1000, 0, 150, {}, 7},
                                        {Event::Allocate, 4096, 500, 0, 160, {}, 8}};
    const std::vector<HistorySegment> atEnd = {
        {4096,
         2 << 20,
         0,
         true,
         false,
         {},
         {{4096, 512, 500, State::Allocated}, {8192, 1024, 600, State::Allocated}}}};
    const auto blocks = livingIn(*segmentsAt(events, 4, atEnd));
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(blocks[0].state, State::Waiting);
    EXPECT_EQ(blocks[0].size, 1024);
    EXPECT_EQ(blocks[0].stack, 5);
    EXPECT_EQ(blocks[0].age, 30);
    EXPECT_EQ(blocks[1].age, 10);
    const auto cancelled =
        segmentsAt(std::vector<HistoryEvent>(70'000, events[2]), 0, atEnd, [](double) { return false; });
    EXPECT_EQ(cancelled.error().message, "cancelled");
}

}  // namespace
}  // namespace highwater::capture
