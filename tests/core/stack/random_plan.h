#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/stack/experiment.h"

namespace highwater::stack::testing {

/// Random parts of the layers [first, last) that are recomputed, nested up to `depth` deep; with `offload`
/// about half of them are offloaded instead.
inline std::vector<PlanPart> randomParts(std::mt19937_64& random, std::int64_t first, std::int64_t last,
                                         int depth, bool offload = false) {
    std::vector<PlanPart> parts;
    const auto below = [&](std::int64_t count) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    };
    while (first < last && depth > 0) {
        PlanPart part{first + below(3), 0, {}};
        part.last = part.first + 1 + below(6);
        if (part.last > last) {
            break;
        }
        part.offload = offload && below(2) == 0;
        if (!part.offload) {
            const int within = depth - 1 - static_cast<int>(below(2));
            part.inner = randomParts(random, part.first, part.last, within, offload);
        }
        first = part.last;
        parts.push_back(std::move(part));
    }
    return parts;
}

/// The experiment with a random checkpoint plan. The same seed gives the same plan.
inline Experiment withRandomPlan(Experiment experiment, std::uint64_t seed, bool offload = false) {
    std::mt19937_64 random(seed);
    constexpr std::int64_t kBeyond = 40;  // parts beyond the stack's end are left out
    experiment.step.checkpoint = {Checkpointing::Kind::Plan, 2, randomParts(random, 0, kBeyond, 3, offload)};
    return experiment;
}

}  // namespace highwater::stack::testing
