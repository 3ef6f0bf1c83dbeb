#pragma once

#include <random>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

namespace highwater::stack::testing {

/// Valid data settings for a batch of this shape: workers, prefetch, any augmentations that its axes allow.
inline Data randomData(std::uint64_t seed, const Shape& batch) {
    using Kind = Augmentation::Kind;
    constexpr double kMost[] = {0, 0, 180, 0.9, 3, 2, 1, 0.9};
    std::mt19937_64 random(seed);
    const auto between = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const Shape sides(batch.begin() + 2, batch.end());
    bool square = false;
    for (std::size_t a = 0; a < sides.size(); ++a) {
        for (std::size_t b = a + 1; b < sides.size(); ++b) {
            square = square || (sides[a] == sides[b] && sides[a] > 1);
        }
    }
    Data data;
    data.workers = between(0, 3);
    data.prefetch = between(1, 3);
    for (int n = between(0, 3); n > 0; --n) {
        const int kind = between(0, 7);
        if ((kind == static_cast<int>(Kind::Rotate90) && !square) ||
            (kind == static_cast<int>(Kind::Rotate) && sides.size() < 2)) {
            continue;
        }
        data.augment.push_back(
            {static_cast<Kind>(kind), between(0, 4) * 0.25, kMost[kind] * between(0, 4) / 4});
    }
    data.readDelayMs = between(0, 2) == 0 ? 0.5 : 0;
    return data;
}

}  // namespace highwater::stack::testing
