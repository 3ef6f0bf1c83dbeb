#pragma once

#include <vector>

#include "core/predict/ghost/walk.h"

/// The memory of each layer of a training step while it runs, and the activations that it leaves for the
/// backward pass. Used by core/plan, which decides what is kept.
namespace highwater::predict {

struct LayerCost {
    base::Bytes saved = 0;         ///< allocated in its forward and live when the backward begins
    base::Bytes forwardOver = 0;   ///< maximum increase during its forward, including its output
    base::Bytes backwardOver = 0;  ///< the same for its backward, relative to its beginning
    base::Bytes gradients = 0;     ///< of its parameters, allocated in its backward
    base::Millis forwardMs = 0, backwardMs = 0;  ///< expected sum over the step's forwards and backwards
};

struct StepCosts {
    std::vector<LayerCost> layers;  ///< in StackInfo's order; empty for a block
    LayerCost loss;                 ///< the part that belongs to no layer: the loss
};

/// The costs in the walk's second step, with expected sizes. Bytes are those of its first forward and
/// backward pass (of a micro-batch, or a window). The walk must be for an experiment without checkpoints.
StepCosts stepCosts(const Walk& walk, const Target& target);

}  // namespace highwater::predict
