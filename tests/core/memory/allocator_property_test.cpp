#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/core/memory/allocator_dice.h"
#include "tests/core/memory/allocator_fixture.h"
#include "tests/core/memory/naive_allocator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::memory {
namespace {

using testing::Bytes;
using testing::Dice;
using testing::NaiveAllocator;
using testing::randomConfig;
using testing::randomDevice;
using testing::randomSize;

/// Invariants, checked with the snapshot alone.
void expectSound(const CachingAllocator& a) {
    Bytes reserved = 0, allocated = 0, active = 0, requested = 0, end = 0;
    std::int64_t allocations = 0;
    for (const auto& segment : a.snapshot()) {
        ASSERT_GE(segment.address, end) << "segments overlap";
        end = segment.address + segment.size;
        Bytes at = segment.address;
        auto before = BlockState::Allocated;
        for (const auto& block : segment.blocks) {
            ASSERT_EQ(block.address, at) << "blocks leave a gap or overlap";
            ASSERT_GT(block.size, 0);
            ASSERT_FALSE(before == BlockState::Free && block.state == BlockState::Free) << "unmerged";
            ASSERT_LE(block.requested, block.size);
            at += block.size;
            before = block.state;
            allocated += block.state == BlockState::Allocated ? block.size : 0;
            active += block.state != BlockState::Free ? block.size : 0;
            allocations += block.state == BlockState::Allocated;
            requested += block.requested;
        }
        ASSERT_EQ(at, end) << "blocks do not fill their segment";
        reserved += segment.size;
    }
    const auto& s = a.stats().all;
    ASSERT_EQ(s.reservedBytes.current, reserved);
    ASSERT_EQ(s.allocatedBytes.current, allocated);
    ASSERT_EQ(s.activeBytes.current, active);
    ASSERT_EQ(s.requestedBytes.current, requested);
    ASSERT_EQ(s.allocations.current, allocations);
    ASSERT_LE(reserved, a.device().capacity);
    ASSERT_LE(s.reservedBytes.peak, a.device().capacity);
    ASSERT_LE(active, reserved);
    ASSERT_LE(requested, active);
    if (!a.config().expandableSegments) {
        ASSERT_LE(reserved, a.device().allowed.value_or(reserved));
    }
}

/// Addresses relative to each segment's start, as in NaiveAllocator.
AllocatorSnapshot relative(AllocatorSnapshot segments) {
    for (auto& segment : segments) {
        for (auto& block : segment.blocks) {
            block.address -= segment.address;
        }
        segment.address = 0;
    }
    return segments;
}

std::pair<std::size_t, Bytes> where(const AllocatorSnapshot& segments, std::int64_t address) {
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (address >= segments[i].address && address < segments[i].address + segments[i].size) {
            return {i, address - segments[i].address};
        }
    }
    return {segments.size(), 0};
}

/// Random traces, executed on both allocators.
class Duel {
public:
    explicit Duel(std::uint64_t seed)
        : dice_(seed),
          config_(randomConfig(dice_)),
          device_(randomDevice(dice_)),
          real_(testing::allocatorOf(config_, device_)),
          naive_(config_, device_) {}

    void step() {
        const Bytes roll = dice_.below(100);
        if (roll < 50 || alive_.empty()) {
            allocate();
        } else if (roll < 85) {
            free();
        } else if (roll < 92) {
            recordStream();
        } else if (roll < 98) {
            streamDone();
        } else {
            real_.emptyCache(), naive_.emptyCache();
        }
    }

    void compare() {
        expectSound(real_);
        const auto snapshot = real_.snapshot();
        ASSERT_EQ(relative(snapshot), naive_.snapshot());
        ASSERT_TRUE(real_.stats() == naive_.stats());
        std::set<std::int64_t> addresses;
        for (const auto& [tensor, block] : alive_) {
            ASSERT_EQ(where(snapshot, real_.block(block).address), naive_.where(tensor));
            ASSERT_TRUE(addresses.insert(real_.block(block).address).second) << "an address twice";
        }
    }

    std::int64_t failures() const { return real_.stats().outOfMemories; }
    std::int64_t collected() const { return real_.stats().deviceFrees; }

private:
    void allocate() {
        const int tensor = next_++;
        const Bytes bytes = randomSize(dice_);
        const auto stream = static_cast<Stream>(dice_.oneIn(3) ? dice_.below(3) : 0);
        const auto block = real_.allocate(bytes, stream);
        ASSERT_EQ(block.has_value(), naive_.allocate(tensor, bytes, stream));
        if (block) {
            ASSERT_EQ(real_.block(*block).requested, bytes);
            alive_[tensor] = *block;
        } else {
            ASSERT_TRUE(real_.outOfMemory() == naive_.outOfMemory());
        }
    }

    std::map<int, BlockIndex>::iterator any() {
        return std::next(alive_.begin(), dice_.below(static_cast<Bytes>(alive_.size())));
    }

    void free() {
        const auto it = any();
        real_.free(it->second);
        naive_.free(it->first);
        alive_.erase(it);
    }

    void recordStream() {
        const auto it = any();
        const auto stream = static_cast<Stream>(dice_.below(3));
        real_.recordStream(it->second, stream);
        naive_.recordStream(it->first, stream);
    }

    void streamDone() {
        const auto stream = static_cast<Stream>(dice_.below(3));
        real_.streamDone(stream);
        naive_.streamDone(stream);
    }

    Dice dice_;
    AllocatorConfig config_;
    DeviceMemory device_;
    CachingAllocator real_;
    NaiveAllocator naive_;
    std::map<int, BlockIndex> alive_;
    int next_ = 0;
};

TEST(AllocatorProperty, AgreesWithTheNaiveAllocatorAfterEveryEvent) {
    const std::uint64_t rounds = fuzz::rounds(300);
    std::int64_t failures = 0, collected = 0;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        Duel duel(seed);
        for (int event = 0; event < 250; ++event) {
            duel.step();
            duel.compare();
            if (HasFatalFailure()) {
                FAIL() << "seed " << seed << ", event " << event;
            }
        }
        failures += duel.failures();
        collected += duel.collected();
    }
    // The traces reach the rules of a full device.
    EXPECT_GT(failures, static_cast<std::int64_t>(rounds));
    EXPECT_GT(collected, static_cast<std::int64_t>(rounds));
}

/// Longer traces, far from the capacity, where many blocks of many sizes are free.
TEST(AllocatorProperty, StaysSoundInLongTraces) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Dice dice(seed);
        auto config = randomConfig(dice);
        auto a = testing::allocatorOf(config, 64 * testing::kGiB);
        std::vector<BlockIndex> alive;
        for (int event = 0; event < 20000; ++event) {
            if (alive.empty() || dice.below(100) < (event / 5000 % 2 ? 40 : 60)) {
                if (const auto block = a.allocate(randomSize(dice), static_cast<Stream>(dice.below(2)))) {
                    alive.push_back(*block);
                }
            } else {
                std::swap(alive[static_cast<std::size_t>(dice.below(static_cast<Bytes>(alive.size())))],
                          alive.back());
                a.free(alive.back());
                alive.pop_back();
            }
            if (event % 500 == 0) {
                ASSERT_NO_FATAL_FAILURE(expectSound(a)) << "seed " << seed << ", event " << event;
            }
        }
        for (const auto block : alive) {
            a.free(block);
        }
        a.emptyCache();
        EXPECT_EQ(a.stats().all.reservedBytes.current, 0);
        EXPECT_EQ(a.stats().all.inactiveSplitBytes.current, 0);
        EXPECT_EQ(a.stats().deviceAllocations > 0, a.stats().deviceFrees > 0);
    }
}

}  // namespace
}  // namespace highwater::memory
