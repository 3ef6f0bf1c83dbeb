#include "core/memory/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/memory/trace_chunk.h"

namespace highwater::memory {
namespace {

using EventKind = TraceEvent::Kind;
using ::testing::HasSubstr;

/// Two blocks alive, one allocated, retagged and freed.
Trace sample() {
    Trace trace;
    trace.layers = {"conv", "relu"};
    trace.labels = {"aten::conv3d"};
    trace.blocks = {{100, 100, -1}, {50, 64, -1}, {30, 32, 0}};
    trace.alive = {{0, Category::Parameters, 0}, {1, Category::Input, -1}};
    trace.events = {{10, 2, 1, EventKind::Allocate, Category::Temporaries, Phase::Forward},
                    {20, 2, 1, EventKind::Retag, Category::Activations, Phase::Forward},
                    {20, 1, -1, EventKind::Free, Category::Input, Phase::Backward},
                    {30, 2, 1, EventKind::Free, Category::Activations, Phase::Backward}};
    trace.steps = {{0, 0}, {3, 1}};
    return trace;
}

TEST(Trace, OneThatMakesSenseIsFine) {
    EXPECT_TRUE(check(sample())) << check(sample()).error().message;
    EXPECT_TRUE(check(Trace{}));
    EXPECT_EQ(sample().before()[Category::Parameters], 100);
}

TEST(Trace, EachKindOfNonsenseIsNamedWithItsEvent) {
    const struct {
        std::function<void(Trace&)> damage;
        const char* says;
    } cases[] = {
        {[](Trace& t) { t.events[2].block = 3; }, "event 2 is of a block that does not exist"},
        {[](Trace& t) { t.events[0].block = 0; }, "event 0 allocates a block a second time"},
        {[](Trace& t) { t.events[1].kind = EventKind::Allocate; }, "event 1 allocates a block a second time"},
        {[](Trace& t) { t.events[2].block = 2, t.events[2].category = Category::Activations; },
         "event 3 is of a block that does not live"},
        {[](Trace& t) { t.events[1].kind = EventKind::Free, t.events[1].category = Category::Temporaries; },
         "event 3 is of a block that does not live"},
        {[](Trace& t) { std::swap(t.events[0], t.events[1]), t.events[0].time = 10; },
         "event 0 is of a block that does not live"},
        {[](Trace& t) { t.events[3].category = Category::Temporaries; },
         "event 3 frees a block from another category"},
        {[](Trace& t) { t.events[2].time = 19; }, "event 2 is earlier"},
        {[](Trace& t) { t.events[0].time = -1; }, "event 0 is earlier"},
        {[](Trace& t) { t.events[1].layer = 2; }, "event 1 is of layer 2; there are 2"},
        {[](Trace& t) { t.events[1].layer = -2; }, "event 1 is of layer -2"},
        {[](Trace& t) { t.events[1].category = static_cast<Category>(7); }, "event 1 has no category"},
        {[](Trace& t) { t.events[1].phase = static_cast<Phase>(6); }, "event 1 has no phase"},
        {[](Trace& t) { t.events[1].kind = static_cast<EventKind>(3); }, "event 1 is not an allocation"},
        {[](Trace& t) { t.blocks[2].label = 1; }, "block 2 has label 1; there are 1"},
        {[](Trace& t) { t.blocks[1].bytes = -1; }, "block 1 has negative bytes"},
        {[](Trace& t) { t.blocks[1].reserved = -1; }, "block 1 has negative bytes"},
        {[](Trace& t) { t.blocks[2].bytes = base::Bytes{1} << 62; }, "event 0 brings the total beyond 2^62"},
        {[](Trace& t) { t.blocks[1].bytes = base::Bytes{1} << 62; }, "block 1, alive at the start, brings"},
        {[](Trace& t) { t.alive[1].block = 0; }, "block 0, alive at the start, does not follow block 0"},
        {[](Trace& t) { t.alive[1].block = 9; }, "block 9, alive at the start, does not exist"},
        {[](Trace& t) { t.alive[1].layer = 5; }, "block 1, alive at the start, is of layer 5"},
        {[](Trace& t) { t.steps[1].event = 5; }, "step 1 begins at event 5; there are 4"},
        {[](Trace& t) { t.steps[1].index = 0; }, "step 0 does not follow step 0"},
        {[](Trace& t) { t.blocks[1].stack = 0; }, "block 1 has stack 0, which does not exist"},
        {[](Trace& t) { t.reserved = {{5, 1}}; }, "what is reserved from event 5 on is out of place"},
        {[](Trace& t) { t.refusals = {{1, 0, 8, 4, 3}}; }, "the refusal at event 1 is out of place"},
        {[](Trace& t) { t.refusals = {{2, 0, 8, 4}, {1, 0, 8, 4}}; }, "the refusal at event 1 is out of"},
    };
    for (const auto& each : cases) {
        Trace trace = sample();
        each.damage(trace);
        const auto status = check(trace);
        ASSERT_FALSE(status) << each.says;
        EXPECT_THAT(status.error().message, HasSubstr(each.says));
    }
}

TEST(TracePeak, IsTheFirstMomentOfTheHighestTotal) {
    Trace trace = sample();
    EXPECT_EQ(findPeak(trace).event, 0);
    EXPECT_EQ(findPeak(trace).ledger.total(), 180);
    EXPECT_EQ(findPeak(trace).ledger[Category::Activations], 30) << "the split that the layer settles on";
    trace.events[1].layer = 0;  // elsewhere: the moment has passed
    EXPECT_EQ(findPeak(trace).ledger[Category::Temporaries], 30);
    trace.events.clear();
    EXPECT_EQ(findPeak(trace).event, -1);
    EXPECT_EQ(findPeak(trace).ledger, trace.before());
    EXPECT_EQ(findPeak(Trace{}).ledger, Ledger{});
}

/// Compared with sums that are recomputed after every event.
TEST(TracePeak, AgreesWithARecountOnRandomTraces) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        std::mt19937_64 random(seed);
        Trace trace;
        std::vector<std::pair<std::uint32_t, Category>> alive;
        base::Bytes highest = 0;
        std::ptrdiff_t where = -1;
        for (int i = 0; i < 300; ++i) {
            TraceEvent event{i,
                             0,
                             -1,
                             EventKind::Allocate,
                             Category::Temporaries,
                             static_cast<Phase>(random() % kPhaseCount)};
            const std::size_t chosen = alive.empty() ? 0 : random() % alive.size();
            event.kind = alive.empty() ? EventKind::Allocate : static_cast<EventKind>(random() % 3);
            if (event.kind == EventKind::Allocate) {
                event.block = static_cast<std::uint32_t>(trace.blocks.size());
                trace.blocks.push_back({static_cast<base::Bytes>(random() % 1000), 0, -1});
                alive.emplace_back(event.block, event.category);
            } else {
                event.block = alive[chosen].first;
                event.category = alive[chosen].second;
                if (event.kind == EventKind::Retag) {
                    event.category = alive[chosen].second = kCategories[random() % kCategoryCount];
                } else {
                    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(chosen));
                }
            }
            trace.events.push_back(event);
            base::Bytes total = 0;
            for (const auto& [block, category] : alive) {
                total += trace.blocks[block].bytes;
            }
            if (total > highest) {
                highest = total, where = i;
            }
        }
        ASSERT_TRUE(check(trace)) << check(trace).error().message;
        EXPECT_EQ(findPeak(trace).event, where) << seed;
        EXPECT_EQ(findPeak(trace).ledger.total(), highest) << seed;
    }
}

TEST(TraceChunks, PutTogetherGiveTheTrace) {
    const Trace whole = sample();
    TraceChunk first{whole.alive, whole.blocks, {whole.events[0]}, {whole.steps[0]}, whole.labels, ""};
    TraceChunk second{{}, {}, {whole.events.begin() + 1, whole.events.end()}, {whole.steps[1]}, {}, ""};
    Trace trace;
    trace.layers = whole.layers;
    append(trace, first);
    append(trace, second);
    EXPECT_EQ(trace.events, whole.events);
    EXPECT_EQ(trace.steps, whole.steps);
    EXPECT_EQ(trace.allEvents, 4);
    EXPECT_TRUE(check(trace));
    first.clear();
    EXPECT_TRUE(first.empty());
    EXPECT_FALSE(second.empty());
}

}  // namespace
}  // namespace highwater::memory
