#pragma once

#include <cstddef>
#include <optional>

#include "core/plan/chain.h"

/// The memory that one unit of a chain needs while it runs, in bytes beyond what the schedule holds. Private
/// to core/plan.
namespace highwater::plan {

/// For a forward that saves nothing, without its input.
inline base::Bytes bareNeed(const ChainUnit& unit) {
    return unit.output + unit.forwardOver + unit.crossing;
}

/// For a forward that saves the option's tensors, without its input.
inline base::Bytes keptNeed(const ChainUnit& unit, const ChainOption& option) {
    return unit.output + option.saved + option.forwardOver + unit.crossing;
}

/// The bytes of a unit's output that the plan itself holds.
inline base::Bytes holds(const ChainUnit& unit) {
    return unit.pinned ? 0 : unit.output;
}

/// The bytes that stay until the unit's backward if it is kept and others follow.
inline base::Bytes stays(const ChainUnit& unit, const ChainOption& option) {
    return holds(unit) + option.saved;
}

/// The size of the input of unit `at`, which is also that of the input's gradient.
inline base::Bytes inputOf(const Chain& chain, int at) {
    return at == 0 ? chain.input : chain.units[static_cast<std::size_t>(at) - 1].output;
}
/// The bytes of the input of unit `at` that are not counted in its `crossing`.
inline base::Bytes heldInputOf(const Chain& chain, int at) {
    return at == 0 ? chain.input : holds(chain.units[static_cast<std::size_t>(at) - 1]);
}
inline base::Bytes inputGradientOf(const Chain& chain, int at) {
    return at == 0 ? chain.inputGradient : inputOf(chain, at);
}

/// For the backward of unit `at`, without its input but including the gradients of its output and input.
/// `resumed`: the unit's own forward was left out.
inline base::Bytes backwardNeed(const Chain& chain, int at, const ChainOption& option, bool resumed) {
    const ChainUnit& unit = chain.units[static_cast<std::size_t>(at)];
    const base::Bytes found = option.saved + (option.readsOutput && !resumed ? unit.output : 0);
    return unit.output + inputGradientOf(chain, at) + found + option.backwardOver + unit.crossing;
}

/// Whether the forward of unit `at` is left out if it is the last of a list of parts.
inline bool isResumed(const Chain& chain, int at) {
    const auto index = static_cast<std::size_t>(at);
    return index + 1 < chain.units.size() && chain.units[index].resumable;
}

/// The gradient that is held while a list of parts that ends with unit `at` runs forward: none for the whole
/// chain, whose last gradient does not exist yet.
inline base::Bytes heldGradient(const Chain& chain, int at) {
    const auto index = static_cast<std::size_t>(at);
    return index + 1 < chain.units.size() ? chain.units[index].output : 0;
}

/// The option with the least time: of forward and backward, or of the backward alone. -1 without options.
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

/// The fastest way to run a unit in a plan: kept, or run without saving anything and then resumed.
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
