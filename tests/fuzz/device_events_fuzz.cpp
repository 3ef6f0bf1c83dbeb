#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/memory/caching_allocator.h"
#include "core/memory/device_segments.h"
#include "tests/fuzz/rounds.h"

namespace highwater::memory {
namespace {

using base::Bytes;
using base::kMiB;
using Kind = DeviceEvent::Kind;
using Random = std::mt19937_64;

AllocatorConfig config(Random& random) {
    AllocatorConfig c;
    c.era = random() % 2 ? AllocatorEra::Torch2_4 : AllocatorEra::Torch2_0;
    c.expandableSegments = random() % 2 == 0;
    c.roundupDivisions.fill(std::int64_t{random() % 3 == 0 ? 4 : 0});
    c.maxSplitSize = random() % 3 == 0 ? 21 * kMiB : kUnlimited;
    return c;
}

std::int64_t number(Random& random) {
    static constexpr std::int64_t edges[] = {0,
                                             -1,
                                             1,
                                             512,
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::min(),
                                             std::int64_t{1} << 60,
                                             std::int64_t{1} << 61};
    switch (random() % 8) {
        case 0:
            return edges[random() % std::size(edges)];
        case 1:
            return static_cast<std::int64_t>(random());
        case 2:
            return static_cast<std::int64_t>(random() % 4096);
        default:
            return static_cast<std::int64_t>(random() % 12) * 2 * kMiB;
    }
}

DeviceEvent anyEvent(Random& random) {
    return {static_cast<Kind>(random() % 9), number(random), number(random), random() % 4};
}

/// The simulator's report of a random program.
std::vector<DeviceEvent> program(Random& random, const AllocatorConfig& config) {
    auto allocator = CachingAllocator::create(config, {256 * kMiB, 256 * kMiB, std::nullopt});
    std::vector<DeviceEvent> events;
    allocator->observe([&](const DeviceEvent& event) { events.push_back(event); });
    std::vector<BlockIndex> alive;
    for (int i = 0; i < 40; ++i) {
        if (alive.empty() || random() % 5 < 3) {
            const Bytes bytes = 1 + static_cast<Bytes>(random() % (random() % 2 ? 40 * kMiB : 2 * kMiB));
            if (const auto block = allocator->allocate(bytes, random() % 2)) {
                alive.push_back(*block);
            }
        } else if (random() % 8 == 0) {
            allocator->emptyCache();
        } else {
            std::swap(alive[random() % alive.size()], alive.back());
            if (random() % 4 == 0) {
                allocator->recordStream(alive.back(), 1);
            }
            allocator->free(alive.back());
            alive.pop_back();
        }
    }
    return events;
}

/// Drops, repeats, swaps, changes and adds events.
void shake(std::vector<DeviceEvent>& events, Random& random) {
    for (auto n = random() % 8; n > 0 && !events.empty(); --n) {
        const auto at = events.begin() + static_cast<std::ptrdiff_t>(random() % events.size());
        switch (random() % 5) {
            case 0:
                events.erase(at);
                break;
            case 1:
                events.insert(at, DeviceEvent(*at));
                break;
            case 2:
                std::swap(*at, events[random() % events.size()]);
                break;
            case 3:
                (random() % 2 ? at->bytes : at->address) += number(random) % kMiB;
                break;
            default:
                events.insert(at, anyEvent(random));
        }
    }
}

void expectSound(const DeviceSegments& picture) {
    const SegmentTotals& t = picture.totals();
    for (const Bytes bytes : {t.requested, t.rounding, t.split, t.cache, t.pending, t.pendingRequested}) {
        ASSERT_GE(bytes, 0);
    }
    Bytes reserved = 0, allocated = 0, pending = 0, requested = 0, end = 0, largest = 0;
    std::int64_t allocations = 0;
    for (const auto& segment : picture.snapshot()) {
        ASSERT_GE(segment.address, end) << "segments overlap";
        Bytes at = segment.address;
        end = at + segment.size;
        reserved += segment.size;
        auto before = BlockState::Allocated;
        for (const auto& block : segment.blocks) {
            ASSERT_EQ(block.address, at);
            ASSERT_GT(block.size, 0);
            ASSERT_FALSE(before == BlockState::Free && block.state == BlockState::Free);
            before = block.state;
            at += block.size;
            allocated += block.state == BlockState::Allocated ? block.size : 0;
            requested += block.state == BlockState::Allocated ? block.requested : 0;
            pending += block.state == BlockState::Waiting ? block.size : 0;
            largest = std::max(largest, block.state == BlockState::Free ? block.size : 0);
            allocations += block.state == BlockState::Allocated;
        }
        ASSERT_EQ(at, end);
    }
    ASSERT_EQ(t.reserved(), reserved);
    ASSERT_EQ(t.allocated(), allocated);
    ASSERT_EQ(t.requested, requested);
    ASSERT_EQ(t.pending, pending);
    ASSERT_EQ(picture.largestFree(), largest);
    ASSERT_EQ(picture.counts().allocations, allocations);
    ASSERT_LE(picture.largestFit(1), largest);
    ASSERT_GE(picture.largestFit(0), 0);
}

TEST(DeviceEventsFuzz, NoSoupOfEventsBreaksThePicture) {
    const std::uint64_t rounds = fuzz::rounds(3000);
    std::uint64_t whole = 0, taken = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        Random random(round);
        const AllocatorConfig rules = config(random);
        DeviceSegments picture(rules);
        std::vector<DeviceEvent> events;
        if (round % 3 == 0) {
            for (int i = 0; i < 100; ++i) {
                events.push_back(anyEvent(random));
            }
        } else {
            events = program(random, rules);
            shake(events, random);
        }
        for (const auto& event : events) {
            picture.take(event);
            ASSERT_NO_FATAL_FAILURE(expectSound(picture)) << "round " << round;
        }
        const auto wrong = picture.counts().inconsistencies;
        ASSERT_LE(wrong, std::ssize(events));
        whole += wrong == 0;
        taken += static_cast<std::uint64_t>(std::ssize(events) - wrong);
    }
    EXPECT_GT(whole, rounds / 50);
    EXPECT_LT(whole, rounds / 2);
    EXPECT_GT(taken, rounds * 10);
}

}  // namespace
}  // namespace highwater::memory
