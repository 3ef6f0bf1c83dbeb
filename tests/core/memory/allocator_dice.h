#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

#include "tests/core/memory/allocator_fixture.h"

namespace highwater::memory::testing {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    Bytes below(Bytes n) { return static_cast<Bytes>(random_() % static_cast<std::uint64_t>(n)); }
    bool oneIn(Bytes n) { return below(n) == 0; }
    template <class T>
    T of(std::initializer_list<T> choices) {
        return choices.begin()[below(static_cast<Bytes>(choices.size()))];
    }

private:
    std::mt19937_64 random_;
};

inline AllocatorConfig randomConfig(Dice& dice) {
    AllocatorConfig c;
    c.era = dice.of({AllocatorEra::Torch1_13, AllocatorEra::Torch2_0, AllocatorEra::Torch2_4});
    const bool first = c.era == AllocatorEra::Torch1_13;
    c.expandableSegments = !first && dice.oneIn(2);
    if (dice.oneIn(3)) {
        c.maxSplitSize = dice.of<Bytes>({21, 24, 32, 64}) * kMiB;
    }
    if (c.era == AllocatorEra::Torch2_4 && dice.oneIn(3)) {
        c.maxNonSplitRounding = dice.of<Bytes>({21, 48}) * kMiB;
    }
    if (c.era == AllocatorEra::Torch2_4 && dice.oneIn(4)) {
        c.largeSegmentSize = dice.of<Bytes>({c.expandableSegments ? 12 : 11, 16, 32}) * kMiB;
        c.maxNonSplitRounding = std::max(c.maxNonSplitRounding, c.largeSegmentSize);
        c.maxSplitSize = std::max(c.maxSplitSize, c.largeSegmentSize);
    }
    if (dice.oneIn(2)) {
        c.garbageCollectionThreshold = dice.of({0.1, 0.5, 0.8});
    }
    if (dice.oneIn(3)) {
        c.roundupDivisions.fill(dice.of<std::int64_t>({1, 2, 4, 16}));
    }
    if (!first && dice.oneIn(4)) {
        for (auto& divisions : c.roundupDivisions) {
            divisions = dice.of<std::int64_t>({0, 1, 2, 8});
        }
    }
    if (first && dice.oneIn(4)) {
        c.roundupBypass = dice.of<Bytes>({0, 1, 16}) * kMiB;
    }
    return c;
}

inline DeviceMemory randomDevice(Dice& dice) {
    DeviceMemory device;
    device.total = dice.of<Bytes>({64, 100, 256, 512}) * kMiB + (dice.oneIn(2) ? dice.below(4 * kMiB) : 0);
    device.capacity = device.total - (dice.oneIn(2) ? dice.below(device.total / 4) : 0);
    if (dice.oneIn(2)) {
        device.allowed = device.total / dice.of<Bytes>({1, 2});
    }
    return device;
}

inline Bytes randomSize(Dice& dice) {
    switch (dice.below(8)) {
        case 0:
            return 1 + dice.below(2048);
        case 1:
            return 1 + dice.below(kMiB);
        case 2:  // around the rules' edges
            return dice.of<Bytes>({512, kMiB, 2 * kMiB, 10 * kMiB, 20 * kMiB, 32 * kMiB}) + dice.below(1025) -
                   511;
        case 3:
        case 4:
            return kMiB + dice.below(9 * kMiB);
        case 5:
            return (1 + dice.below(8)) * 4 * kMiB;  // sizes that come again
        case 6:
            return 10 * kMiB + dice.below(20 * kMiB);
        default:
            return dice.oneIn(8) ? 100 * kMiB + dice.below(500 * kMiB) : 20 * kMiB + dice.below(60 * kMiB);
    }
}

}  // namespace highwater::memory::testing
