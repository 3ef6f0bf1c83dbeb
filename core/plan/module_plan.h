#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/make_fit.h"

/// Plans that recompute whole modules of a network, for programs in which checkpoints cannot begin and end
/// anywhere: each module runs under torch.utils.checkpoint or not.
namespace highwater::plan {

/// A module that may be recomputed: layers [first, last), as in stack::PlanPart.
struct NamedPart {
    std::string name;
    std::int64_t first = 0, last = 0;
};

struct ModulePlan {
    Plan plan;
    std::vector<std::string> recomputed;  ///< modules, in the order of execution
};

struct ModulePlans {
    Plan asItIs;                     ///< the given experiment, unchanged
    std::optional<ModulePlan> best;  ///< the fastest found within the budget; std::nullopt if none is
    ModulePlan least;                ///< the one with the least memory among those tried
};

/// Tries micro-batches as planUnder() does, and then expandable segments if nothing else suffices (the other
/// choices are ignored). For each, modules are recomputed in the order of the memory that they save per time
/// until the step is within the budget, and kept again where that is possible. `divisions` are alternatives:
/// lists of modules in the order of execution, without overlap, such as large and small ones. Every figure is
/// the predictor's. If the experiment is within the budget, it is the best. Layers with batch statistics are
/// not recomputed: torch.utils.checkpoint would update their running statistics twice. Errors: the experiment
/// is not valid, not possible on the target, or does not train; "cancelled".
base::Result<ModulePlans> planModules(const stack::Experiment& experiment, const predict::Target& target,
                                      Budget budget, const std::vector<std::vector<NamedPart>>& divisions,
                                      const PlanChoices& choices = {}, const Trying& trying = {});

}  // namespace highwater::plan
