#pragma once

#include <algorithm>

#include "core/engine/kernels/abn.h"

struct CUstream_st;

/// InPlace-ABN on a GPU; abn.h has the formulas. Every pointer is to the device's memory; what is called here
/// runs on the stream and is not waited for. Elements are float, half or bfloat16; arithmetic, parameters and
/// statistics are float, one a channel. An error of a launch stays CUDA's last error for the caller to ask
/// for.
#include "core/engine/kernels/element.h"

namespace highwater::engine::kernels {

/// How many blocks share a channel's sums: from the shape alone, so that results do not depend on the device.
inline std::int64_t abnSplits(const AbnShape& shape) {
    const std::int64_t tiles = shape.channelsLast ? (shape.channels + 31) / 32 : shape.channels;
    const std::int64_t most = shape.channelsLast ? 512 : 2048, least = shape.channelsLast ? 256 : 4096;
    const std::int64_t wanted = std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, tiles));
    return std::clamp<std::int64_t>((shape.perChannel() + least - 1) / least, 1, wanted);
}
/// Floats that a pass needs beside tensors.
inline std::int64_t abnMomentFloats(const AbnShape& shape) {
    return 3 * abnSplits(shape) * shape.channels;
}
inline std::int64_t abnSumFloats(const AbnShape& shape) {
    return 2 * abnSplits(shape) * shape.channels;
}

/// What each call reads.
struct AbnPlace {
    Element element = Element::Float;
    AbnShape shape;
    AbnActivation activation;
    const float *weight = nullptr, *bias = nullptr;
    float eps = 1e-5F;
};

struct AbnStatistics {
    float *mean = nullptr, *invstd = nullptr;
    float *runningMean = nullptr, *runningVar = nullptr;  ///< null: they are left alone
    float momentum = 0.1F;
};
/// Mean and inverse deviation of x, in one pass; `passing` has abnMomentFloats.
void abnMoments(const AbnPlace& place, const void* x, const AbnStatistics& to, float* passing,
                CUstream_st* stream);

/// x becomes z. `deviation`: the inverse deviation, or with `isVariance` the variance.
void abnApply(const AbnPlace& place, void* x, const float* mean, const float* deviation, bool isVariance,
              CUstream_st* stream);

/// dweight and dbias, in one pass over z and dz; `passing` has abnSumFloats.
void abnSums(const AbnPlace& place, const void* z, const void* dz, float* dweight, float* dbias,
             float* passing, CUstream_st* stream);

/// dx from them; it may lie over z or dz.
void abnGradient(const AbnPlace& place, const void* z, const void* dz, void* dx, const float* invstd,
                 const float* dweight, const float* dbias, CUstream_st* stream);

}  // namespace highwater::engine::kernels
