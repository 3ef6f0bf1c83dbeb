#include "core/engine/kernels/abn_cuda.h"
#include "core/engine/kernels/channel_sums.cuh"

namespace highwater::engine::kernels {

namespace {

/// Count, mean and sum of squared deviations. Two of them can be added without loss of precision even if the
/// mean is far from 0 (Welford 1962, Chan 1979).
struct Moments {
    float count = 0, mean = 0, squares = 0;

    __device__ void add(const Moments& other) {
        const float both = count + other.count;
        if (other.count == 0) {
            return;
        }
        const float apart = other.mean - mean, part = other.count / both;
        mean = fmaf(apart, part, mean);
        squares += fmaf(apart * apart, count * part, other.squares);
        count = both;
    }
    __device__ Moments shuffled(int lanes) const {
        return {__shfl_down_sync(~0U, count, lanes), __shfl_down_sync(~0U, mean, lanes),
                __shfl_down_sync(~0U, squares, lanes)};
    }
};

template <int N>
__device__ Moments momentsOf(const float (&values)[N]) {
    float mean = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        mean += values[i] / N;
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
        squares = fmaf(values[i] - mean, values[i] - mean, squares);
    }
    return {N, mean, squares};
}

template <class T>
struct SumMoments {
    using Sum = Moments;
    struct Channel {};
    const T* x;

    __device__ Channel channel(std::int64_t) const { return {}; }

    template <int N>
    __device__ void one(Sum& sum, const Channel&, std::int64_t at) const {
        float values[N];
        load<N>(x + at, values);
        sum.add(momentsOf(values));
    }
    /// All sums have the same count, so one division serves all.
    template <int N>
    __device__ void each(Sum (&sums)[N], const Channel (&)[N], std::int64_t at) const {
        float values[N];
        load<N>(x + at, values);
        const float count = sums[0].count + 1, part = 1 / count;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const float apart = values[i] - sums[i].mean;
            sums[i].mean = fmaf(apart, part, sums[i].mean);
            sums[i].squares = fmaf(apart, values[i] - sums[i].mean, sums[i].squares);
            sums[i].count = count;
        }
    }
};

struct FinishMoments {
    AbnStatistics to;
    float eps;
    std::int64_t count;

    __device__ void operator()(std::int64_t c, const Moments& sum) const {
        const auto n = static_cast<float>(count);
        to.mean[c] = sum.mean;
        to.invstd[c] = rsqrtf(sum.squares / n + eps);
        if (to.runningMean == nullptr) {
            return;
        }
        to.runningMean[c] += to.momentum * (sum.mean - to.runningMean[c]);
        to.runningVar[c] += to.momentum * (sum.squares / (n - 1) - to.runningVar[c]);
    }
};

}  // namespace

void abnMoments(const AbnPlace& place, const void* x, const AbnStatistics& to, float* passing,
                cudaStream_t stream) {
    withElement(place.element, [&](auto as) {
        using T = typename decltype(as)::Type;
        const SumMoments<T> work{static_cast<const T*>(x)};
        const FinishMoments finish{to, place.eps, place.shape.perChannel()};
        if (packs<T>(place.shape, x)) {
            launchSums<packed<T>>(place.shape, work, passing, finish, stream);
        } else {
            launchSums<1>(place.shape, work, passing, finish, stream);
        }
    });
}

}  // namespace highwater::engine::kernels
