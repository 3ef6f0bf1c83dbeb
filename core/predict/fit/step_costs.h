#pragma once

#include <vector>

#include "core/predict/ghost/walk.h"

/// What each layer of a training step takes while it runs, and what it leaves for the backward pass. Made for
/// core/plan, which decides what is kept.
namespace highwater::predict {

struct LayerCost {
    base::Bytes saved = 0;         ///< allocated in its forward and alive when the backward begins
    base::Bytes forwardOver = 0;   ///< the most that its forward adds while it runs, its output included
    base::Bytes backwardOver = 0;  ///< the same of its backward, beside what is there when that begins
    base::Bytes gradients = 0;     ///< of its parameters, which its backward leaves
    base::Millis forwardMs = 0, backwardMs = 0;  ///< expected, of all the step's forwards and backwards
};

struct StepCosts {
    std::vector<LayerCost> layers;  ///< in StackInfo's order; nothing of a block
    LayerCost loss;                 ///< of what lies in no layer: the loss
};

/// The costs in the walk's second step, by expected sizes. Bytes are those of its first forward and backward
/// pass (of a micro-batch, or a window). The walk is of an experiment without checkpoints.
StepCosts stepCosts(const Walk& walk, const Target& target);

}  // namespace highwater::predict
