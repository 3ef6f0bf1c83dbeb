#pragma once

#include <algorithm>

#include "core/engine/kernels/abn.h"

struct CUstream_st;

/// InPlace-ABN on a GPU; abn.h has the formulas. All pointers are to device memory. Functions launch kernels
/// on the stream and do not wait. Elements are float, half or bfloat16; arithmetic, parameters and statistics
/// are float, one per channel. A failed launch sets CUDA's last error, for the caller to query.
#include "core/engine/kernels/element.h"

namespace highwater::engine::kernels {

/// Number of thread blocks that share a channel's sums. It depends on the shape alone, so that results do not
/// depend on the device.
inline std::int64_t abnSplits(const AbnShape& shape) {
    const std::int64_t tiles = shape.channelsLast ? (shape.channels + 31) / 32 : shape.channels;
    const std::int64_t most = shape.channelsLast ? 512 : 2048, least = shape.channelsLast ? 256 : 4096;
    const std::int64_t wanted = std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, tiles));
    return std::clamp<std::int64_t>((shape.perChannel() + least - 1) / least, 1, wanted);
}
/// Size of the temporary memory of abnMoments, in floats; that of abnSums follows.
inline std::int64_t abnMomentFloats(const AbnShape& shape) {
    return 3 * abnSplits(shape) * shape.channels;
}
inline std::int64_t abnSumFloats(const AbnShape& shape) {
    return 2 * abnSplits(shape) * shape.channels;
}

/// Arguments that all functions share.
struct AbnPlace {
    Element element = Element::Float;
    AbnShape shape;
    AbnActivation activation;
    const float *weight = nullptr, *bias = nullptr;
    float eps = 1e-5F;
};

struct AbnStatistics {
    float *mean = nullptr, *invstd = nullptr;
    float *runningMean = nullptr, *runningVar = nullptr;  ///< null: not updated
    float momentum = 0.1F;
};
/// Computes mean and inverse standard deviation of x in one pass. `passing`: temporary memory of
/// abnMomentFloats floats.
void abnMoments(const AbnPlace& place, const void* x, const AbnStatistics& to, float* passing,
                CUstream_st* stream);

/// Overwrites x with z. `deviation`: the inverse standard deviation, or with `isVariance` the variance.
void abnApply(const AbnPlace& place, void* x, const float* mean, const float* deviation, bool isVariance,
              CUstream_st* stream);

/// Computes dweight and dbias in one pass over z and dz. `passing`: temporary memory of abnSumFloats floats.
void abnSums(const AbnPlace& place, const void* z, const void* dz, float* dweight, float* dbias,
             float* passing, CUstream_st* stream);

/// Computes dx from them. dx may be the same memory as z or dz.
void abnGradient(const AbnPlace& place, const void* z, const void* dz, void* dx, const float* invstd,
                 const float* dweight, const float* dbias, CUstream_st* stream);

}  // namespace highwater::engine::kernels
