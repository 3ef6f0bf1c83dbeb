#include "widgets/timeline/trace_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/widgets/timeline/random_trace.h"

namespace highwater::widgets {
namespace {

using highwater::testing::indexOf;
using highwater::testing::naiveAlive;
using highwater::testing::randomTrace;
using ::testing::HasSubstr;

TEST(Pyramid, FindsTheFirstLowestAndHighestOfAnyStretch) {
    std::mt19937 random(7);
    for (const std::size_t size : {1U, 2U, 63U, 64U, 65U, 129U, 1000U, 8192U, 20011U}) {
        std::vector<base::Bytes> values(size);
        for (auto& v : values) {
            v = static_cast<base::Bytes>(random() % 50);
        }
        const Pyramid pyramid(values);
        for (int i = 0; i < 300; ++i) {
            std::size_t a = random() % size, b = random() % size;
            if (a > b) {
                std::swap(a, b);
            }
            const auto first = values.begin() + static_cast<std::ptrdiff_t>(a);
            const auto end = values.begin() + static_cast<std::ptrdiff_t>(b) + 1;
            const auto found = pyramid.of(a, b);
            ASSERT_EQ(found.lowest, static_cast<std::size_t>(std::min_element(first, end) - values.begin()));
            ASSERT_EQ(found.highest, static_cast<std::size_t>(std::max_element(first, end) - values.begin()))
                << size << ": " << a << " to " << b;
        }
    }
}

TEST(TraceIndex, AgreesWithTheEventsInEveryState) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const auto trace = randomTrace(seed, 300);
        const auto index = indexOf(trace);
        ASSERT_TRUE(index);
        ASSERT_EQ(index->states(), trace.events.size() + 1);
        for (std::size_t state = 0; state < index->states(); state += 7) {
            memory::Ledger ledger;
            TraceIndex::Counts counts{};
            for (const auto& block : naiveAlive(trace, state)) {
                ledger[block.category] += trace.blocks[block.block].bytes;
                ++counts[static_cast<std::size_t>(block.category)];
                const BlockLife& life = index->life(block.block);
                EXPECT_LE(life.begin, state);
                EXPECT_GT(life.end, state);
                EXPECT_EQ(life.layer, block.layer);
            }
            ASSERT_EQ(index->ledgerAt(state), ledger) << "seed " << seed << " state " << state;
            ASSERT_EQ(index->countsAt(state), counts);
            ASSERT_EQ(index->totals()[state], ledger.total());
        }
        const auto peak = memory::findPeak(trace);
        EXPECT_EQ(index->peakState(), static_cast<std::size_t>(peak.event + 1));
        EXPECT_EQ(index->ledgerAt(index->peakState()), peak.ledger);
    }
}

TEST(TraceIndex, SpansTellTheCategoriesOfABlock) {
    const auto trace = randomTrace(3, 400);
    const auto index = indexOf(trace);
    for (std::size_t state = 0; state < index->states(); state += 11) {
        std::vector<std::pair<std::uint32_t, memory::Category>> found, wanted;
        for (const Span& span : index->spans()) {
            if (span.begin <= state && state < span.end) {
                found.emplace_back(span.block, span.category);
            }
        }
        for (const auto& block : naiveAlive(trace, state)) {
            wanted.emplace_back(block.block, block.category);
        }
        EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(wanted));
    }
}

TEST(TraceIndex, FindsTheStateAtAnyPlaceOfBothAxes) {
    for (const bool timed : {true, false}) {
        const auto index = indexOf(randomTrace(5, 500, timed));
        std::mt19937 random(1);
        for (const TimelineAxis axis : {index->axis(TimelineAxis::Time), TimelineAxis::Events}) {
            const double from = index->axisBegin(axis), to = index->axisEnd(axis);
            for (int i = 0; i < 500; ++i) {
                const double x = from + (to - from) * static_cast<double>(random() % 1001) / 1000;
                std::size_t wanted = 0;
                while (wanted + 1 < index->states() && index->begin(axis, wanted + 1) <= x) {
                    ++wanted;
                }
                EXPECT_EQ(index->stateAt(axis, x), wanted);
                EXPECT_EQ(index->stateAt(axis, x, random() % index->states()), wanted) << "whatever the hint";
            }
        }
    }
}

TEST(TraceIndex, OfAnEmptyTraceIsOneEmptyState) {
    const auto index = indexOf(memory::Trace{});
    ASSERT_TRUE(index);
    EXPECT_EQ(index->states(), 1U);
    EXPECT_EQ(index->ledgerAt(0).total(), 0);
    EXPECT_EQ(index->stateAt(TimelineAxis::Time, 0.5), 0U);
    EXPECT_LT(index->axisBegin(TimelineAxis::Time), index->axisEnd(TimelineAxis::Time));
}

TEST(TraceIndex, RefusesATraceThatMakesNoSense) {
    auto trace = randomTrace(1, 50);
    trace.events[20].block = 9999;
    const auto built = TraceIndex::build(std::make_shared<const memory::Trace>(trace));
    ASSERT_FALSE(built);
    EXPECT_THAT(built.error().message, HasSubstr("20"));
}

TEST(TraceIndex, StopsWhenAsked) {
    const auto trace = std::make_shared<const memory::Trace>(randomTrace(1, 50));
    const auto built = TraceIndex::build(trace, [](double) { return false; });
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().message, "cancelled");
}

}  // namespace
}  // namespace highwater::widgets
