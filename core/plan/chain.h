#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/units.h"

/// Chooses which units of a chain keep the activations that their backward needs, and which are recomputed,
/// so that a training step takes the least time within a memory budget: the best persistent schedule, by
/// dynamic programming (Herrmann and others, RR-9302: "rotor"). In a persistent schedule, a kept tensor stays
/// until the backward that needs it. Sizes are not negative and their sum fits in 63 bits; times are finite,
/// not negative and in milliseconds.
namespace highwater::plan {

/// One way to keep a unit: what its forward saves for its backward, and the cost of both.
struct ChainOption {
    base::Bytes saved = 0;         ///< saved for backward, besides the unit's input and output
    base::Bytes forwardOver = 0;   ///< peak of the forward beyond input, output and `saved`
    base::Bytes backwardOver = 0;  ///< peak of the backward beyond its existing inputs and its result
    base::Millis forwardMs = 0, backwardMs = 0;
    /// Whether the backward needs the unit's output too. If it does not, the output is freed before the
    /// backward begins: all its other readers have already run backward.
    bool readsOutput = true;
};

struct ChainUnit {
    base::Bytes output = 0;                 ///< bytes of its output, and of that output's gradient
    base::Bytes forwardOver = 0;            ///< peak of a forward that saves nothing, beyond input and output
    base::Millis forwardMs = 0;             ///< time of a forward that saves nothing
    std::vector<ChainOption> options = {};  ///< the ways to keep it: at least one, otherwise no plan exists
    /// Memory that others hold while the unit runs forward or backward: skip connections that cross it.
    base::Bytes crossing = 0;
    /// Whether the backward needs no forward if the unit is the last of a recomputed range. Then that forward
    /// is left out, including its output; `saved` still counts, and `readsOutput` does not. True for
    /// convolutions, whose backward needs only input and weight.
    bool resumable = false;
    /// Whether others hold the output from its forward to its backward in every plan: a skip connection
    /// across much of the chain. Then it is part of the `crossing` of all later units, and keeping it costs
    /// the plan nothing more.
    bool pinned = false;
};

struct Chain {
    base::Bytes input = 0;  ///< held from beginning to end
    std::vector<ChainUnit> units = {};
    base::Bytes inputGradient = 0;  ///< of the input's gradient: 0 if it is not needed, as for a network's
                                    ///< input
};

/// Units [first, last) of a plan. With `inner`, their forward keeps only the input of the first unit, and
/// before their backward they are recomputed according to `inner`, whose parts cover them. Without `inner` it
/// is one unit, kept with `option`.
struct ChainPart {
    int first = 0, last = 0;
    int option = 0;
    std::vector<ChainPart> inner = {};

    bool operator==(const ChainPart&) const = default;
};

struct ChainCost {
    base::Millis ms = 0;   ///< time of forward and backward, including recomputation
    base::Bytes peak = 0;  ///< peak memory, including the chain's input
};

/// Returns the exact cost of any plan. `parts` cover the chain without gaps, and the last part of every list
/// is a unit that is kept. The memory held at any moment is: the input; everything that the plan has kept and
/// still needs; while a unit runs, its input, its output or that output's gradient, and the result of its
/// backward; what it saves; its `Over` and `crossing`. The gradient of the last output exists from the end of
/// the last forward on.
ChainCost costOf(const Chain& chain, const std::vector<ChainPart>& parts);

/// The parts of the fastest plan: every unit is kept with its fastest option, or is resumed from its input if
/// that is faster. A budget above its peak is no faster. std::nullopt if a unit has no option.
std::optional<std::vector<ChainPart>> fastestParts(const Chain& chain);

struct ChainPlan {
    ChainCost cost;
    std::vector<ChainPart> parts;
};

class ChainTable;

/// The plans of a chain for all budgets up to `most` at once. Memory is counted in slots: kept sizes are
/// rounded up to slots, so a plan never exceeds its budget, and it is the fastest of all plans whose rounded
/// sizes fit (times are compared as floats: to six digits). If rounding has left room, a faster plan with
/// more slots is used if it really fits. For n units, k options and s slots, building the table takes at most
/// n * n * (n / 6 + k) * s steps and n * n / 2 * (s + n) floats.
class ChainPlans {
public:
    /// Budgets above `most`, or above what fastestParts() needs, are treated as that limit. `slots` is at
    /// least 1.
    ChainPlans(const Chain& chain, base::Bytes most, int slots = 500);

    /// The smallest budget that has a plan; std::nullopt if `most` has none, or the chain has no units.
    std::optional<base::Bytes> least() const;
    /// The fastest plan whose peak is at most `budget`; std::nullopt if budget < least().
    std::optional<ChainPlan> under(base::Bytes budget) const;
    /// All plans that under() returns, by ascending memory. The peak of each is the smallest budget that
    /// returns it, and each is faster than the previous one.
    std::vector<ChainPlan> all() const;

private:
    struct Entry {
        int slots;
        ChainCost cost;
    };

    void add(const Entry& entry);
    ChainPlan planOf(const Entry& entry) const;

    std::shared_ptr<const ChainTable> table_;
    std::vector<Entry> entries_;  ///< by ascending peak and descending time
};

}  // namespace highwater::plan
