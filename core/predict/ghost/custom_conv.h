#pragma once

#include "core/predict/ghost/ops.h"

/// custom_conv over ghosts, as core/engine/custom_conv*.cpp: change both together. Private to core/predict.
namespace highwater::predict::ghost {

/// The kernel that `cached` makes of the weights; anew in a step whose optimizer has changed them.
struct ComposedKernel {
    Tensor kernel;
    int step = -1;
};

/// Its kernel and padding with one value an axis, zeros in front and behind ("same" of an even kernel: one
/// more behind).
struct CustomConvWindow {
    Dims kernel;  ///< out_channels, 1, kernel
    Borders borders;
    bool uneven = false;
};
CustomConvWindow windowOf(const stack::CustomConv& op, int dims);

Tensor customConv(Machine&, const stack::CustomConv& op, const LayerState& state, const Tensor& x,
                  const Dims& output, ForwardMode mode);

// --- one implementation a file
Tensor naiveCustomConv(Machine&, const stack::CustomConv& op, const LayerState& state, const Tensor& x,
                       const Dims& output);
Tensor fusedCustomConv(Machine&, const stack::CustomConv& op, const LayerState& state, const Tensor& x,
                       const Dims& output);

}  // namespace highwater::predict::ghost
