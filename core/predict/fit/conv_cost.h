#pragma once

#include <optional>

#include "core/predict/tables/conv_key.h"
#include "core/predict/tables/estimate.h"
#include "core/predict/tables/profile.h"

/// What determines the time of a 3d convolution on a GPU besides its operations. Private to core/predict.
namespace highwater::predict {

/// The work of one pass. Channels are padded as in cuDNN's kernels: to multiples of 8 (16 bits) or 4 (TF32)
/// on tensor cores, otherwise to the tile's side of a matrix product.
struct ConvCost {
    double flops = 0;        ///< of the forward, or of the input's gradient; a multiply-add counts as two
    double weightFlops = 0;  ///< of the weight's gradient; 0 on tensor cores, where `flops` includes it
    double moved = 0;        ///< bytes of input, output and weight, once for each part
    double gathered = 0;  ///< tensor cores: bytes read by a product over all kernel positions (implicit GEMM)
    /// Without tensor cores and without `benchmark`: clock cycles of the weight's gradient, which the plan
    /// chosen by cuDNN's heuristics sums over the positions sequentially; an upper bound.
    double cycles = 0;
};
ConvCost convCost(const ConvKey& key, bool tensorCores, bool benchmark);

/// The rate at which the multiprocessors read from their caches: 128 bytes per clock cycle each. The profile
/// must have attributes.
double cachedBytesPerSecond(const DeviceProfile& gpu);

/// The time in seconds, low to high according to the ranges in the profile:
///   max(F / (P e) + G / (P g), R / (S m'), cycles / clock) + B / (W m)
/// and on tensor cores without `benchmark` 1.6 times that, from 1 to 4.5.
/// F, G, B, R: flops, weightFlops, moved, gathered; S: cachedBytesPerSecond(). The shares: `compute`
/// "conv_3d" (e), "conv_3d/weight" (g), "conv_3d/tensor" (e on tensor cores); `memory` "conv_3d" (m; in
/// channels_last on tensor cores, where cuDNN converts nothing, that of "elementwise"), "conv_3d/gather",
/// "conv_3d/gather/tf32" (m'). std::nullopt if the profile does not state them, or if the convolution is not
/// 3d with one group.
struct ConvSeconds {
    double low = 0, expected = 0, high = 0;
};
std::optional<ConvSeconds> convSeconds(const ConvKey& key, const DeviceProfile& gpu, bool tf32,
                                       bool benchmark);

}  // namespace highwater::predict
