#include "tests/core/capture/random_trace.h"

#include <gtest/gtest.h>

#include <set>

namespace highwater::test {
namespace {

TEST(RandomTrace, IsValidAndHoldsEveryKind) {
    std::set<memory::TraceEvent::Kind> kinds;
    std::set<memory::Phase> phases;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const memory::Trace trace = randomTrace(seed, {.timed = seed % 2 == 0});
        const auto valid = memory::check(trace);
        ASSERT_TRUE(valid) << seed << ": " << valid.error().message;
        EXPECT_EQ(trace.events.size(), 400U);
        EXPECT_EQ(trace.steps.size(), 3U);
        for (const auto& event : trace.events) {
            kinds.insert(event.kind);
            phases.insert(event.phase);
        }
    }
    EXPECT_EQ(kinds.size(), 3U);
    EXPECT_EQ(phases.size(), 5U);
}

TEST(RandomTrace, TheSameSeedGivesTheSameTrace) {
    EXPECT_EQ(randomTrace(7).events, randomTrace(7).events);
    EXPECT_NE(randomTrace(7).events, randomTrace(8).events);
}

}  // namespace
}  // namespace highwater::test
