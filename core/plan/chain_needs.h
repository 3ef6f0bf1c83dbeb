#pragma once

#include <cstddef>
#include <optional>

#include "core/plan/chain.h"

/// What one unit of a chain needs while it runs, in bytes beyond what the schedule holds besides it. Private
/// to core/plan.
namespace highwater::plan {

/// Of a forward that keeps nothing, its input not counted.
inline base::Bytes bareNeed(const ChainUnit& unit) {
    return unit.output + unit.forwardOver + unit.crossing;
}

/// Of a forward that keeps what the option saves, its input not counted.
inline base::Bytes keptNeed(const ChainUnit& unit, const ChainOption& option) {
    return unit.output + option.saved + option.forwardOver + unit.crossing;
}

/// What the plan itself holds of a unit's output.
inline base::Bytes holds(const ChainUnit& unit) {
    return unit.pinned ? 0 : unit.output;
}

/// What stays until the unit's backward when it is kept and followed by others.
inline base::Bytes stays(const ChainUnit& unit, const ChainOption& option) {
    return holds(unit) + option.saved;
}

/// The size of the input of unit `at`, and of that input's gradient.
inline base::Bytes inputOf(const Chain& chain, int at) {
    return at == 0 ? chain.input : chain.units[static_cast<std::size_t>(at) - 1].output;
}
/// What is held of the input of unit `at` that is not counted in its `crossing`.
inline base::Bytes heldInputOf(const Chain& chain, int at) {
    return at == 0 ? chain.input : holds(chain.units[static_cast<std::size_t>(at) - 1]);
}
inline base::Bytes inputGradientOf(const Chain& chain, int at) {
    return at == 0 ? chain.inputGradient : inputOf(chain, at);
}

/// Of the backward of unit `at`, its input not counted: the gradient that comes in and the one that it makes
/// included. `resumed`: the unit's own forward was left out.
inline base::Bytes backwardNeed(const Chain& chain, int at, const ChainOption& option, bool resumed) {
    const ChainUnit& unit = chain.units[static_cast<std::size_t>(at)];
    const base::Bytes found = option.saved + (option.readsOutput && !resumed ? unit.output : 0);
    return unit.output + inputGradientOf(chain, at) + found + option.backwardOver + unit.crossing;
}

/// Whether the forward of unit `at` is left out where it is the last of a list of parts.
inline bool isResumed(const Chain& chain, int at) {
    const auto index = static_cast<std::size_t>(at);
    return index + 1 < chain.units.size() && chain.units[index].resumable;
}

/// The gradient that is held while a list of parts that ends with unit `at` runs forward: the whole chain's
/// last gradient is not there yet.
inline base::Bytes heldGradient(const Chain& chain, int at) {
    const auto index = static_cast<std::size_t>(at);
    return index + 1 < chain.units.size() ? chain.units[index].output : 0;
}

/// The option whose time is the least: of forward and backward, or of the backward alone. -1 without options.
inline int fastestOption(const ChainUnit& unit, bool backwardAlone) {
    int best = -1;
    base::Millis least = 0;
    for (int k = 0; k < static_cast<int>(unit.options.size()); ++k) {
        const ChainOption& option = unit.options[static_cast<std::size_t>(k)];
        const base::Millis ms = option.backwardMs + (backwardAlone ? 0 : option.forwardMs);
        if (best < 0 || ms < least) {
            best = k;
            least = ms;
        }
    }
    return best;
}

/// How a unit takes the least time in a plan: kept, or run without keeping anything and then resumed.
struct FastestUnit {
    int option;
    bool resumed;
};
inline std::optional<FastestUnit> fastestOf(const Chain& chain, int at) {
    const ChainUnit& unit = chain.units[static_cast<std::size_t>(at)];
    const int kept = fastestOption(unit, false), resumed = fastestOption(unit, true);
    if (kept < 0) {
        return std::nullopt;
    }
    const ChainOption& k = unit.options[static_cast<std::size_t>(kept)];
    const ChainOption& r = unit.options[static_cast<std::size_t>(resumed)];
    if (isResumed(chain, at) && unit.forwardMs + r.backwardMs < k.forwardMs + k.backwardMs) {
        return FastestUnit{resumed, true};
    }
    return FastestUnit{kept, false};
}

}  // namespace highwater::plan
