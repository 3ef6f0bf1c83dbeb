#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>

#include "core/base/text.h"
#include "core/capture/capture.h"
#include "tests/core/capture/random_trace.h"

namespace highwater::capture {
namespace {

using memory::Trace;
using memory::TraceEvent;

std::string snapshotOf(const Trace& trace) {
    std::ostringstream out;
    const auto written = write(trace, Format::Snapshot, out);
    EXPECT_TRUE(written) << written.error().message;
    return out.str();
}

/// The part of a trace that a snapshot can represent: no retags, each block in its final category.
Trace withoutRetags(const Trace& trace) {
    Trace plain = trace;
    std::vector<memory::Category> last(trace.blocks.size());
    std::vector<std::size_t> before;
    plain.events.clear();
    for (const auto& each : trace.alive) {
        last[each.block] = each.category;
    }
    for (const TraceEvent& event : trace.events) {
        before.push_back(plain.events.size());
        last[event.block] = event.category;
        if (event.kind != TraceEvent::Kind::Retag) {
            plain.events.push_back(event);
        }
    }
    before.push_back(plain.events.size());
    for (auto& each : plain.alive) {
        each.category = last[each.block];
    }
    for (auto& event : plain.events) {
        event.category = last[event.block];
    }
    for (auto& step : plain.steps) {
        step.event = before[step.event];
    }
    plain.allEvents = static_cast<std::int64_t>(plain.events.size());
    return plain;
}

std::string labelOf(const Trace& trace, std::uint32_t block) {
    const auto label = trace.blocks[block].label;
    return label < 0 ? "" : base::oneLine(trace.labels[static_cast<std::size_t>(label)]);
}

/// A block by its properties, whatever its number.
using Block = std::tuple<base::Bytes, base::Bytes, std::string>;
Block blockOf(const Trace& trace, std::uint32_t block) {
    return {trace.blocks[block].bytes, trace.blocks[block].reserved, labelOf(trace, block)};
}

void expectSame(const Trace& read, const Trace& plain) {
    ASSERT_EQ(read.events.size(), plain.events.size());
    EXPECT_EQ(read.layers, plain.layers);
    EXPECT_EQ(read.steps, plain.steps);
    EXPECT_EQ(read.timed, plain.timed);
    EXPECT_EQ(read.allEvents, plain.allEvents);
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < plain.events.size(); ++i) {
        const TraceEvent &a = read.events[i], &b = plain.events[i];
        ASSERT_EQ(a.kind, b.kind) << i;
        ASSERT_EQ(a.category, b.category) << i;
        ASSERT_EQ(a.phase, b.phase) << i;
        ASSERT_EQ(a.layer, b.layer) << i;
        ASSERT_EQ(a.time, plain.timed ? b.time / 1000 * 1000 : static_cast<std::int64_t>(i)) << i;
        ASSERT_EQ(blockOf(read, a.block), blockOf(plain, b.block)) << i;
        ASSERT_EQ(numbers.try_emplace(b.block, a.block).first->second, a.block) << i;
    }
    std::multiset<Block> there, here;
    for (const auto& each : read.alive) {
        there.insert(blockOf(read, each.block));
    }
    for (const auto& each : plain.alive) {
        here.insert(blockOf(plain, each.block));
    }
    EXPECT_EQ(there, here);
    EXPECT_EQ(read.before(), plain.before());
    EXPECT_EQ(memory::findPeak(read).ledger.total(), memory::findPeak(plain).ledger.total());
}

TEST(RoundTrip, ASnapshotReadBackIsTheTrace) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Trace trace = test::randomTrace(seed, {.events = 30 + seed * 4,
                                                     .layers = 1 + static_cast<int>(seed % 40),
                                                     .timed = seed % 5 != 0,
                                                     .retags = seed % 3 != 0});
        const auto read = readSnapshotBytes(snapshotOf(trace));
        ASSERT_TRUE(read) << seed << ": " << read.error().message;
        EXPECT_EQ(read->title, "random trace");
        expectSame(*read, withoutRetags(trace));
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

TEST(RoundTrip, OnceReadAndWrittenItStaysTheSame) {
    const auto once = readSnapshotBytes(snapshotOf(test::randomTrace(3)));
    ASSERT_TRUE(once);
    const auto twice = readSnapshotBytes(snapshotOf(*once));
    ASSERT_TRUE(twice);
    EXPECT_EQ(once->events, twice->events);
    EXPECT_EQ(once->blocks, twice->blocks);
    EXPECT_EQ(once->alive, twice->alive);
    EXPECT_EQ(once->labels, twice->labels);
}

TEST(RoundTrip, ManyBatchesAndFrames) {
    const Trace trace = test::randomTrace(11, {.events = 40000, .layers = 300, .steps = 9});
    const auto read = readSnapshotBytes(snapshotOf(trace));
    ASSERT_TRUE(read) << read.error().message;
    expectSame(*read, withoutRetags(trace));
}

TEST(RoundTrip, ARangeHoldsWhatLivesAtItsStart) {
    const std::string bytes = snapshotOf(test::randomTrace(5, {.events = 900}));
    const auto whole = readSnapshotBytes(bytes);
    ASSERT_TRUE(whole);
    const auto all = static_cast<std::int64_t>(whole->events.size());
    for (const Range range :
         {Range{0, all}, Range{0, 10}, Range{100, 200}, Range{all - 1, 50}, Range{7, 0}}) {
        const auto part = readSnapshotBytes(bytes, range);
        ASSERT_TRUE(part) << part.error().message;
        EXPECT_TRUE(memory::check(*part));
        EXPECT_EQ(part->firstEvent, range.first);
        EXPECT_EQ(part->allEvents, all);
        ASSERT_EQ(static_cast<std::int64_t>(part->events.size()), std::min(range.count, all - range.first));
        memory::Ledger ledger = whole->before();
        for (std::int64_t i = 0; i < range.first; ++i) {
            const TraceEvent& event = whole->events[static_cast<std::size_t>(i)];
            const auto bytesOf = whole->blocks[event.block].bytes;
            ledger[event.category] += event.kind == TraceEvent::Kind::Free ? -bytesOf : bytesOf;
        }
        EXPECT_EQ(part->before(), ledger);
        for (std::size_t i = 0; i < part->events.size(); ++i) {
            const TraceEvent& original = whole->events[static_cast<std::size_t>(range.first) + i];
            EXPECT_EQ(part->events[i].time, original.time);
            EXPECT_EQ(blockOf(*part, part->events[i].block), blockOf(*whole, original.block));
        }
    }
    for (const Range range : {Range{-1, 5}, Range{all, 1}, Range{0, -1}}) {
        const auto part = readSnapshotBytes(bytes, range);
        ASSERT_FALSE(part);
        EXPECT_THAT(part.error().message, testing::HasSubstr("a range begins at one of them"));
    }
}

}  // namespace
}  // namespace highwater::capture
