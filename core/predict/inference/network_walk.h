#pragma once

#include <vector>

#include "core/predict/ghost/layers.h"
#include "core/stack/program.h"
#include "core/stack/shapes.h"

/// A network's forward without a graph. Private to core/predict.
namespace highwater::predict::ghost {

/// A U-Net as dynamic-network-architectures builds it, on ghosts. Its weights are allocated when it is made.
class InferenceNetwork {
public:
    /// `experiment` and `info` must outlive it.
    InferenceNetwork(const stack::Experiment& experiment, const stack::StackInfo& info, Machine& machine);
    /// Runs a forward pass, and returns the output of the last layer.
    Tensor forward(const Tensor& input);

private:
    Machine& machine_;
    const stack::StackInfo& info_;
    stack::Program program_;
    std::vector<LayerState> layers_;
    std::vector<int> heldUntil_;  ///< for each value, at v + 1: the step during which it is last referenced
};

/// For each value of a program, at v + 1, the last step during which Python references it. A step's input is
/// held until its unit (a convolution with the norm and activation that follow it) and every block that
/// begins with it have ended; the output of a concatenation until its block has ended; the output of each
/// block of the encoder until the last step.
std::vector<int> heldUntil(const stack::Experiment& experiment, const stack::Program& program);

}  // namespace highwater::predict::ghost
