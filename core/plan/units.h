#pragma once

#include <utility>
#include <vector>

#include "core/plan/chain.h"
#include "core/predict/fit/step_costs.h"
#include "core/stack/program.h"
#include "core/stack/shapes.h"

/// A network as a chain of units that may be kept or recomputed. Private to core/plan.
namespace highwater::plan {

/// The chain, and the steps [first, second) of the program for each of its units. The last unit is the loss,
/// which has no steps.
struct Units {
    Chain chain;
    std::vector<std::pair<int, int>> steps;
};

/// Divides a program at its costly steps: each is a unit, and so is each run of cheap steps between two, but
/// there is no cut in front of a step that works in place (which would need a copy of its input there). So a
/// convolution can keep its output while the normalization and activation after it are recomputed. With more
/// than `most` units, neighbors are joined. A value that is read beyond the next unit is charged to all units
/// that it crosses: the value itself in forward, its gradient in backward. A value that crosses more than
/// eight units is pinned, and also charged to all later units. So are the gradients of the parameters of
/// later units. `program` and `costs` must be for an experiment without checkpoints; `parts` is the number of
/// its micro-batches.
Units unitsOf(const stack::Program& program, const stack::StackInfo& info, const predict::StepCosts& costs,
              std::int64_t parts, std::size_t most = 160);

}  // namespace highwater::plan
