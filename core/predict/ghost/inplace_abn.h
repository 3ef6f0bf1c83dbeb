#pragma once

#include "core/predict/ghost/ops.h"

/// Private to core/predict.
namespace highwater::predict::ghost {

/// core/engine/layers/inplace_abn.cpp over ghosts, on the CPU and on GPUs: change both together. Returns x,
/// which was written over.
Tensor inplaceAbn(Machine&, const LayerState&, const Tensor& x, ForwardMode);

/// Bytes of the partial sums of one pass over a tensor of N x C x positions, `floats` to each (the engine's
/// kernels/abn_cuda.h).
Bytes abnPassingBytes(const Dims& dims, bool channelsLast, int floats);

}  // namespace highwater::predict::ghost
