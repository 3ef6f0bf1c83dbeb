#include "tests/core/memory/allocator_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/memory/allocator_fixture.h"

namespace highwater::memory {
namespace {

using testing::deviceOf;
using ::testing::HasSubstr;
using testing::kMiB;
using Kind = AllocatorEvent::Kind;

TEST(AllocatorReplay, PlaysEveryKindOfEvent) {
    const std::vector<AllocatorEvent> events = {{Kind::Allocate, 0, 0, 12 * kMiB},
                                                {Kind::Allocate, 0, 1, 0},  // no bytes: no block
                                                {Kind::RecordStream, 2, 0, 0},
                                                {Kind::RecordStream, 2, 1, 0},
                                                {Kind::Free, 0, 0, 0},
                                                {Kind::Free, 0, 1, 0},
                                                {Kind::Allocate, 0, 0, 100},
                                                {Kind::StreamDone, 2, 0, 0},
                                                {Kind::Allocate, 0, 1, 12 * kMiB},
                                                {Kind::Free, 0, 1, 0},
                                                {Kind::EmptyCache, 0, 0, 0}};
    const auto replay = replayAllocator({}, deviceOf(64 * kMiB), events);
    ASSERT_TRUE(replay) << replay.error().message;
    EXPECT_EQ(replay->events, events.size());
    EXPECT_FALSE(replay->outOfMemory);
    EXPECT_EQ(replay->stats.all.reservedBytes, (Gauge{2 * kMiB, 14 * kMiB}));
    ASSERT_EQ(replay->snapshot.size(), 1U);
    EXPECT_EQ(replay->snapshot[0].blocks[0].requested, 100);
}

TEST(AllocatorReplay, SaysWhereMemoryRanOut) {
    const std::vector<AllocatorEvent> events = {{Kind::Allocate, 0, 0, 40 * kMiB},
                                                {Kind::Allocate, 0, 1, 100},
                                                {Kind::Allocate, 0, 2, 24 * kMiB},
                                                {Kind::Free, 0, 0, 0}};
    const auto replay = replayAllocator({}, deviceOf(64 * kMiB), events);
    ASSERT_TRUE(replay);
    EXPECT_EQ(replay->events, 2U);
    ASSERT_TRUE(replay->outOfMemory);
    EXPECT_EQ(replay->outOfMemory->asked, 24 * kMiB);
    EXPECT_EQ(replay->outOfMemory->reserved, 42 * kMiB);
    EXPECT_EQ(replay->snapshot.size(), 2U);
}

TEST(AllocatorReplay, RefusesEventsThatMakeNoSense) {
    const auto refused = [](std::vector<AllocatorEvent> events) {
        events.resize(4, {Kind::EmptyCache, 0, 0, 0});
        const auto replay = replayAllocator({}, deviceOf(64 * kMiB), events);
        return replay ? std::string() : replay.error().message;
    };
    EXPECT_EQ(refused({{Kind::Allocate, 0, 0, 5}, {Kind::Free, 0, 1, 0}}),
              "event 1 (tensor 1, stream 0, 0 B): only a tensor that is alive can be freed or used");
    EXPECT_THAT(refused({{Kind::Allocate, 0, 0, 5}, {Kind::Free, 0, 0, 0}, {Kind::Free, 0, 0, 0}}),
                HasSubstr("event 2"));
    EXPECT_THAT(refused({{Kind::RecordStream, 1, 0, 0}}), HasSubstr("alive"));
    EXPECT_THAT(refused({{Kind::Allocate, 0, 0, 5}, {Kind::Allocate, 0, 0, 5}}), HasSubstr("again"));
    EXPECT_THAT(refused({{Kind::Allocate, 0, 0, -1}}), HasSubstr("0 B or more"));
    EXPECT_THAT(refused({{Kind::Allocate, 0, 4, 5}}), HasSubstr("number of events"));
    EXPECT_THAT(refused({{Kind::Allocate, 1024, 0, 5}}), HasSubstr("0 to 1023"));
    EXPECT_THAT(refused({{Kind::StreamDone, 65535, 0, 0}}), HasSubstr("0 to 1023"));
}

TEST(AllocatorReplay, RefusesAConfigurationThatCannotBe) {
    AllocatorConfig config;
    config.maxSplitSize = kMiB;
    EXPECT_FALSE(replayAllocator(config, deviceOf(64 * kMiB), {}));
    EXPECT_FALSE(replayAllocator({}, {}, {}));
}

}  // namespace
}  // namespace highwater::memory
