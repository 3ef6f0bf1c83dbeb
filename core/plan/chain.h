#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/units.h"

/// Which parts of a chain of units keep what their backward needs, and which are run again, so that a
/// training step takes the least time under a budget of memory: the best persistent schedule, by dynamic
/// programming (Herrmann and others, RR-9302: "rotor"). A schedule is persistent where what is kept stays
/// until the backward that needs it. Sizes are not negative and together fit 63 bits; times are finite, not
/// negative and in milliseconds.
namespace highwater::plan {

/// One way to keep a unit: what its forward leaves for its backward, and what the two cost.
struct ChainOption {
    base::Bytes saved = 0;         ///< left for the backward, besides the unit's input and output
    base::Bytes forwardOver = 0;   ///< the most that the forward holds beyond input, output and `saved`
    base::Bytes backwardOver = 0;  ///< the most that the backward holds beyond what it finds and its result
    base::Millis forwardMs = 0, backwardMs = 0;
    /// Whether the backward finds the unit's output too. Where it does not read it, the output is gone
    /// before the backward begins: whatever else read it has run backward already.
    bool readsOutput = true;
};

struct ChainUnit {
    base::Bytes output = 0;       ///< of its output, and of that output's gradient
    base::Bytes forwardOver = 0;  ///< the most that a forward keeping nothing holds beyond in- and output
    base::Millis forwardMs = 0;   ///< of a forward that keeps nothing
    std::vector<ChainOption> options = {};  ///< how it may be kept: at least one, or no plan exists
    /// What others hold all the time while the unit runs forward or backward: skips that pass over it.
    base::Bytes crossing = 0;
    /// Whether the backward needs no forward of its own where the unit is the last of what is run again. Then
    /// that forward is left out, output and all; `saved` still counts, and `readsOutput` does not. True of
    /// convolutions, whose backward reads input and weight alone.
    bool resumable = false;
    /// Whether others hold the output from its forward to its backward, whatever the plan: a skip that passes
    /// over much of the chain. Then it is part of the `crossing` of all later units, and what the plan keeps
    /// of it costs nothing more.
    bool pinned = false;
};

struct Chain {
    base::Bytes input = 0;  ///< held from the beginning to the end
    std::vector<ChainUnit> units = {};
    base::Bytes inputGradient = 0;  ///< of the input's gradient: 0 where nothing wants it, as of a network's
};

/// Units [first, last) of a plan. With `inner` they are run forward so that only the input of the first is
/// kept, and when their backward is due they are run again as `inner` says, whose parts cover them. Without
/// `inner` it is one unit, kept with `option`.
struct ChainPart {
    int first = 0, last = 0;
    int option = 0;
    std::vector<ChainPart> inner = {};

    bool operator==(const ChainPart&) const = default;
};

struct ChainCost {
    base::Millis ms = 0;   ///< of forward and backward, with what is run again
    base::Bytes peak = 0;  ///< the most that is held at once, the chain's input included
};

/// Returns what a plan costs, whoever made it, to the byte. `parts` cover the chain without gaps, and the
/// last part of every list is a unit that is kept. At every moment these are held: the input; what the plan
/// has kept and not used up; while a unit runs, its input, its output or that output's gradient, and what its
/// backward makes; what it saves; its `Over` and `crossing`. The gradient of the last output is there from
/// the end of the last forward on.
ChainCost costOf(const Chain& chain, const std::vector<ChainPart>& parts);

/// The parts of the plan that no plan is faster than: every unit is kept with its fastest option, or is
/// resumed from its input where that is faster. A budget above its peak has no use. Nothing where a unit has
/// no option.
std::optional<std::vector<ChainPart>> fastestParts(const Chain& chain);

struct ChainPlan {
    ChainCost cost;
    std::vector<ChainPart> parts;
};

class ChainTable;

/// The plans of a chain for every budget up to `most` at once. Memory is counted in slots: the sizes of what
/// stays are rounded up to them, so a plan never holds more than its budget, and of all plans whose sizes
/// fit when so rounded none is faster (times are compared as floats: to six digits). Where rounding has left
/// room, a faster plan of a larger number of slots is taken if it really fits. For n units, k options and s
/// slots, making the table takes n * n * (n / 6 + k) * s steps at most and n * n / 2 * (s + n) floats.
class ChainPlans {
public:
    /// Budgets above `most` are served like `most`; so are those above what fastestParts() needs. `slots` is
    /// at least 1.
    ChainPlans(const Chain& chain, base::Bytes most, int slots = 500);

    /// The least budget that has a plan; nothing where `most` has none, or the chain no units.
    std::optional<base::Bytes> least() const;
    /// The fastest plan whose peak is no higher than `budget`; nothing where budget < least().
    std::optional<ChainPlan> under(base::Bytes budget) const;
    /// All plans that under() gives, from the least memory to the most. The peak of each is the least budget
    /// that gives it, and each is faster than the one before.
    std::vector<ChainPlan> all() const;

private:
    struct Entry {
        int slots;
        ChainCost cost;
    };

    void add(const Entry& entry);
    ChainPlan planOf(const Entry& entry) const;

    std::shared_ptr<const ChainTable> table_;
    std::vector<Entry> entries_;  ///< of rising peak and falling time
};

}  // namespace highwater::plan
