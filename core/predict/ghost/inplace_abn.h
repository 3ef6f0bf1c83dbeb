#pragma once

#include "core/predict/ghost/ops.h"

/// Private to core/predict.
namespace highwater::predict::ghost {

/// Mirrors core/engine/layers/inplace_abn.cpp on ghosts, for the CPU and GPUs: change both together. Returns
/// x, which was overwritten.
Tensor inplaceAbn(Machine&, const LayerState&, const Tensor& x, ForwardMode);

/// Returns the bytes of the partial sums of one pass over a tensor of N x C x positions, `floats` floats per
/// channel and part of the pass (the engine's kernels/abn_cuda.h).
Bytes abnPassingBytes(const Dims& dims, bool channelsLast, int floats);

}  // namespace highwater::predict::ghost
