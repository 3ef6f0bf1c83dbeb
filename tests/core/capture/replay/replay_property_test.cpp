#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/capture/history_pickle.h"
#include "tests/core/capture/replay/recorder.h"
#include "tests/core/capture/replay/replay.h"
#include "tests/core/memory/allocator_dice.h"

namespace highwater::capture {
namespace {

using base::Bytes;
using Kind = HistoryEvent::Kind;
using memory::testing::Dice;

/// Settings that are recorded in a file.
memory::AllocatorConfig settingsOf(std::uint64_t seed) {
    Dice dice(seed);
    memory::AllocatorConfig config = memory::testing::randomConfig(dice);
    config.era = memory::AllocatorEra::Torch2_4;
    config.garbageCollectionThreshold = 0;
    config.roundupBypass = memory::kUnlimited;
    return config;
}

History recorded(const memory::AllocatorConfig& config, std::uint64_t seed, int steps,
                 std::size_t dropped = 0) {
    Dice dice(seed);
    test::Recorder recorder(config, dice.of<Bytes>({256, 600, 100'000}) * base::kMiB);
    test::runProgram(recorder, seed, steps);
    return recorder.history(std::min(dropped, recorder.events()));
}

/// The replay's result for the single device, as a line; "equal".
std::string outcome(const History& history) {
    const Replay all = replay(history);
    if (all.devices.size() != 1) {
        return "no device";
    }
    const DeviceReplay& device = all.devices.front();
    if (device.difference) {
        return std::to_string(device.difference->event) + ": recorded " + device.difference->recorded +
               "; predicted " + device.difference->predicted;
    }
    return device.notReplayed.empty() ? "equal" : device.notReplayed;
}

TEST(ReplayProperty, WhatTheSimulationRecordedIsEqual) {
    std::int64_t outOfMemories = 0, waited = 0, returned = 0, refused = 0, severalReadings = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        const History history = recorded(settingsOf(seed), seed, 400);
        const auto read = readHistoryBytes(test::pickled(history));
        ASSERT_TRUE(read) << read.error().message;
        ASSERT_EQ(outcome(*read), "equal")
            << "seed " << seed << ' ' << history.settings->text << ' ' << history.settings->maxSplitSize;
        const DeviceReplay device = replay(*read).devices.front();
        outOfMemories += device.outOfMemories;
        waited += device.waited;
        returned += device.segmentsReturned;
        refused += device.refused;
        severalReadings += device.readings > 1;
    }
    EXPECT_GT(outOfMemories, 50);
    EXPECT_GT(waited, 50);
    EXPECT_GT(returned, 50);
    EXPECT_GT(refused, 50);
    EXPECT_GT(severalReadings, 5);
}

/// The previous state is reconstructed wherever the recording begins, even during a request.
TEST(ReplayProperty, OneThatBeganLateIsEqual) {
    std::int64_t blocks = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        memory::AllocatorConfig config = settingsOf(seed);
        config.expandableSegments = false;
        const History history = recorded(config, seed, 400, 100 + seed % 300);
        ASSERT_EQ(outcome(history), "equal") << "seed " << seed;
        blocks += replay(history).devices.front().start.blocks;
    }
    EXPECT_GT(blocks, 3000);
}

/// Events of complete lives: an allocation whose block is freed later, or a segment that is released.
struct Life {
    std::size_t from = 0;
    std::vector<std::size_t> later;
};

std::vector<Life> livesOf(const std::vector<HistoryEvent>& events, Kind begin,
                          std::initializer_list<Kind> ends) {
    std::vector<Life> lives;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].kind != begin) {
            continue;
        }
        Life life{i, {}};
        for (std::size_t j = i + 1; j < events.size() && life.later.size() < ends.size(); ++j) {
            if (events[j].address == events[i].address && events[j].kind == ends.begin()[life.later.size()]) {
                life.later.push_back(j);
            }
        }
        if (life.later.size() == ends.size()) {
            lives.push_back(life);
        }
    }
    return lives;
}

/// Changes all events of a life, so that the recording stays consistent.
template <class Change>
std::int64_t falsify(History& history, const std::vector<Life>& lives, Dice& dice, Change change) {
    if (lives.empty()) {
        return -1;
    }
    const Life& life = lives[static_cast<std::size_t>(dice.below(static_cast<Bytes>(lives.size())))];
    auto& events = history.devices.front().events;
    change(events[life.from]);
    for (const std::size_t i : life.later) {
        change(events[i]);
    }
    return static_cast<std::int64_t>(life.from);
}

std::int64_t differsAt(const History& history) {
    const DeviceReplay device = replay(history).devices.front();
    EXPECT_EQ(device.notReplayed, "");
    return device.difference ? device.difference->event : -1;
}

TEST(ReplayProperty, AFalsifiedPlaceOrSegmentIsTheFirstDifference) {
    int places = 0, segments = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const bool late = seed >= 200;
        Dice dice(seed);
        memory::AllocatorConfig config = settingsOf(seed);
        config.expandableSegments &= !late;
        const History history = recorded(config, seed, 300, late ? seed : 0);
        const auto& events = history.devices.front().events;

        History placed = history;
        const auto lives = livesOf(events, Kind::Allocate, {Kind::FreeRequested, Kind::FreeCompleted});
        const std::int64_t place =
            falsify(placed, lives, dice, [](HistoryEvent& event) { event.address += 0x200000000200; });
        ASSERT_EQ(differsAt(placed), place) << "seed " << seed;
        places += place >= 0;

        History sized = history;
        const auto whole = livesOf(events, Kind::SegmentAllocate, {Kind::SegmentFree});
        const std::int64_t size =
            falsify(sized, whole, dice, [](HistoryEvent& event) { event.size += 2 * base::kMiB; });
        ASSERT_EQ(differsAt(sized), size) << "seed " << seed;
        segments += size >= 0;
    }
    EXPECT_GT(places, 250);
    EXPECT_GT(segments, 100);
}

/// An out of memory of what the cache can serve, as the next event shows: the same request gets a block from
/// it. Nothing came back in between, so that no reading explains it. (Of a block that was freed just before,
/// there is one: it was used by another stream and came back only when the allocator waited for all streams,
/// too late for the request.)
TEST(ReplayProperty, AnInventedOutOfMemoryIsNotEqual) {
    int late = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        memory::AllocatorConfig config = settingsOf(seed);
        config.expandableSegments &= seed < 100;
        History history = recorded(config, seed, 200, seed < 100 ? 0 : 100 + seed % 100);
        auto& events = history.devices.front().events;
        const auto twice = std::ranges::adjacent_find(events, [](const auto& one, const auto& next) {
            return one.kind == Kind::Allocate && next.kind == Kind::Allocate;
        });
        ASSERT_NE(twice, events.end());
        HistoryEvent invented = *std::next(twice);
        invented.kind = Kind::OutOfMemory;
        invented.address = 0;
        const auto at = std::next(twice) - events.begin();
        events.insert(std::next(twice), invented);
        ASSERT_EQ(differsAt(history), at) << "seed " << seed;
        late += !replay(history).devices.front().start.empty();
    }
    EXPECT_GT(late, 90);
}

}  // namespace
}  // namespace highwater::capture
