#include "widgets/timeline/timeline_layout.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/widgets/timeline/random_trace.h"

namespace highwater::widgets {
namespace {

using highwater::testing::indexOf;
using highwater::testing::naiveAlive;
using highwater::testing::randomTrace;

/// The states that exist somewhere in [from, to), found by checking each.
std::vector<std::size_t> naiveStates(const TraceIndex& index, TimelineAxis axis, double from, double to) {
    std::vector<std::size_t> states;
    for (std::size_t s = 0; s < index.states(); ++s) {
        const double begin = index.begin(axis, s), end = index.begin(axis, s + 1);
        const bool momentary = begin == end && begin >= from && begin < to;
        if (momentary || (begin < to && end > from && begin < end)) {
            states.push_back(s);
        }
    }
    return states;
}

class Layouts : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Layouts, EveryColumnHasTheExactMaximumOfWhatHoldsInIt) {
    const auto index = indexOf(randomTrace(GetParam(), 400));
    std::mt19937 random(GetParam());
    for (const TimelineAxis axis : {TimelineAxis::Time, TimelineAxis::Events}) {
        for (int round = 0; round < 20; ++round) {
            TimelineRange range = wholeRange(*index, axis);
            range.from += (range.to - range.from) * static_cast<double>(random() % 900) / 1000;
            range.to =
                range.from + (index->axisEnd(axis) - range.from) / static_cast<double>(1 + random() % 60);
            range = clamped(*index, range);
            const int width = 1 + static_cast<int>(random() % 200);
            const auto columns = timelineColumns(*index, axis, range.from, range.to, width);
            ASSERT_EQ(columns.size(), static_cast<std::size_t>(width));
            for (int c = 0; c < width; ++c) {
                const double from = range.from + (range.to - range.from) * c / width;
                const double to = range.from + (range.to - range.from) * (c + 1) / width;
                const auto states = naiveStates(*index, axis, from, to);
                ASSERT_FALSE(states.empty());
                const auto less = [&](std::size_t a, std::size_t b) {
                    return index->totals()[a] < index->totals()[b];
                };
                const auto& column = columns[static_cast<std::size_t>(c)];
                ASSERT_EQ(index->totals()[column.highest],
                          index->totals()[*std::max_element(states.begin(), states.end(), less)]);
                ASSERT_EQ(index->totals()[column.lowest],
                          index->totals()[*std::min_element(states.begin(), states.end(), less)]);
            }
        }
    }
}

TEST_P(Layouts, BlocksStackByCategoryAndBegin) {
    const auto trace = randomTrace(GetParam(), 400);
    const auto index = indexOf(trace);
    std::mt19937 random(GetParam());
    for (int round = 0; round < 12; ++round) {
        TimelineRange range = wholeRange(*index, round % 2 ? TimelineAxis::Time : TimelineAxis::Events);
        const double whole = range.to - range.from;
        range = zoomedTime(range, range.from + whole * static_cast<double>(random() % 100) / 100,
                           1.0 / static_cast<double>(1 + random() % 40));
        range = zoomedBytes(range, range.high * static_cast<double>(random() % 100) / 100,
                            1.0 / static_cast<double>(1 + random() % 4));
        range = clamped(*index, range);
        const int width = 150, height = 200;
        const auto columns = timelineColumns(*index, range.axis, range.from, range.to, width);
        const auto layout = layoutBlocks(*index, range, columns, columnBands(*index, columns), height);
        std::map<std::pair<int, std::uint32_t>, base::Bytes> cells;  // column, span: bottom
        for (const BlockCell& cell : layout.cells) {
            ASSERT_LT(cell.left, cell.right);
            for (int c = cell.left; c < cell.right; ++c) {
                ASSERT_TRUE(cells.try_emplace({c, cell.span}, cell.bottom).second)
                    << "one cell a block a column";
            }
        }
        std::size_t expected = 0;
        for (int c = 0; c < width; ++c) {
            const std::size_t state = columns[static_cast<std::size_t>(c)].highest;
            const auto ends = bandEnds(index->ledgerAt(state));
            std::array<base::Bytes, memory::kCategoryCount> bottoms{};
            for (std::size_t k = 1; k < ends.size(); ++k) {
                bottoms[k] = ends[k - 1];
            }
            for (std::uint32_t s = 0; s < index->spans().size(); ++s) {  // by begin
                const Span& span = index->spans()[s];
                const auto bytes = index->bytes(span.block);
                const double length =
                    index->begin(range.axis, span.end) - index->begin(range.axis, span.begin);
                if (state < span.begin || state >= span.end ||
                    static_cast<double>(bytes) < layout.leastBytes || length < layout.leastLength) {
                    continue;
                }
                base::Bytes& bottom = bottoms[static_cast<std::size_t>(span.category)];
                const bool visible =
                    static_cast<double>(bottom)<range.high&& static_cast<double>(bottom + bytes)> range.low;
                const auto found = cells.find({c, s});
                ASSERT_EQ(found != cells.end(), visible) << "column " << c << " span " << s;
                if (visible) {
                    ASSERT_EQ(found->second, bottom);
                    ++expected;
                }
                bottom += bytes;
                ASSERT_LE(bottom, ends[static_cast<std::size_t>(span.category)]);
            }
        }
        EXPECT_EQ(cells.size(), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Random, Layouts, ::testing::Range(0U, 8U));

TEST(TimelineLayout, ZoomedInToOneEventEveryAllocationIsABlockOfItsOwn) {
    const auto trace = randomTrace(11, 400);
    const auto index = indexOf(trace);
    const TimelineRange range = clamped(*index, {TimelineAxis::Events, 250, 251, 0, 1e18});
    EXPECT_DOUBLE_EQ(range.to - range.from, 2);
    const auto columns = timelineColumns(*index, range.axis, range.from, range.to, 400);
    const auto layout = layoutBlocks(*index, range, columns, columnBands(*index, columns), 20'000'000);
    std::size_t inSight = 0;
    for (const Span& span : index->spans()) {
        inSight += index->bytes(span.block) > 0 && span.begin < range.to && span.end > range.from;
    }
    EXPECT_GT(inSight, 5U);
    EXPECT_EQ(layout.shown.size(), inSight);
}

TEST(TimelineLayout, WorkIsBoundedHoweverManyBlocksThereAre) {
    memory::Trace trace;
    for (std::uint32_t i = 0; i < 5000; ++i) {
        trace.blocks.push_back({1000 + i, 1000 + i, -1});
        trace.events.push_back({i, i, -1, memory::TraceEvent::Kind::Allocate, memory::Category::Activations,
                                memory::Phase::Forward});
    }
    const auto index = indexOf(std::move(trace));
    const TimelineRange range = wholeRange(*index, TimelineAxis::Events);
    const auto columns = timelineColumns(*index, range.axis, range.from, range.to, 1000);
    BlockFloor floor;
    floor.heightPixels = 1e-9;
    EXPECT_EQ(
        layoutBlocks(*index, range, columns, columnBands(*index, columns), 500, {1e-9, 0, 1e12}).shown.size(),
        5000U);
    floor.mostWork = 100'000;
    const auto layout = layoutBlocks(*index, range, columns, columnBands(*index, columns), 500, floor);
    EXPECT_LT(layout.cells.size(), 100'001U);
    EXPECT_GE(layout.leastBytes, 1024) << "the floor rose to the power of two that leaves less work";
}

TEST(TimelineLayout, StaysWithinTheTrace) {
    const auto index = indexOf(randomTrace(2, 100));
    const TimelineRange whole = wholeRange(*index, TimelineAxis::Time);
    EXPECT_EQ(clamped(*index, {TimelineAxis::Time, -1e12, 1e12, -5, 1e15}), whole);
    const TimelineRange right = clamped(*index, moved(whole, 1e6, 1e9));
    EXPECT_EQ(right, whole) << "all of it cannot be moved";
    TimelineRange part = zoomedTime(whole, whole.from, 0.25);
    EXPECT_DOUBLE_EQ(part.from, whole.from) << "what is at the pointer stays there";
    part = clamped(*index, moved(part, 1e9, 0));
    EXPECT_DOUBLE_EQ(part.to, whole.to);
    EXPECT_NEAR(part.to - part.from, (whole.to - whole.from) / 4, 1e-6);
}

}  // namespace
}  // namespace highwater::widgets
