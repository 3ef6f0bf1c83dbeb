#pragma once

#include "core/predict/ghost/ops.h"

/// custom_conv on ghosts. Mirrors core/engine/layers/custom_conv*.cpp: change both together. Private to
/// core/predict.
namespace highwater::predict::ghost {

/// The kernel that the `cached` implementation computes from the weights; recomputed in each step whose
/// optimizer has changed them.
struct ComposedKernel {
    Tensor kernel;
    int step = -1;
};

/// The kernel and padding of a custom_conv with one value per axis. Zeros are added before and after ("same"
/// with an even kernel: one more after).
struct CustomConvWindow {
    Dims kernel;  ///< out_channels, 1, kernel
    Borders borders;
    bool uneven = false;
};
CustomConvWindow windowOf(const stack::CustomConv& op, int dims);

Tensor customConv(Machine&, const stack::CustomConv& op, const LayerState& state, const Tensor& x,
                  const Dims& output, ForwardMode mode);

// --- one implementation per file
Tensor naiveCustomConv(Machine&, const stack::CustomConv& op, const LayerState& state, const Tensor& x,
                       const Dims& output);
Tensor fusedCustomConv(Machine&, const stack::CustomConv& op, const LayerState& state, const Tensor& x,
                       const Dims& output);

}  // namespace highwater::predict::ghost
