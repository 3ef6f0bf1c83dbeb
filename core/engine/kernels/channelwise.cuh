#pragma once

#include <algorithm>

#include "core/engine/kernels/abn.h"
#include "core/engine/kernels/element.cuh"
#include "core/engine/kernels/launch.cuh"

/// One pass over a tensor whose arithmetic differs by channel. `Work` is copied to the device and has
///   Channel channel(std::int64_t c) the values that it needs for a channel
///   template <int N, class Of> void run(Of of, std::int64_t at)   N elements from `at` on; of(i) is the
///                                                  Channel of the i-th
/// Neighboring threads read neighboring addresses in both layouts.
namespace highwater::engine::kernels {

constexpr int kThreads = 256;

template <class Channel>
struct SameChannel {
    const Channel& channel;
    __device__ const Channel& operator()(int) const { return channel; }
};
template <class Channel>
struct EachChannel {
    const Channel* channels;
    __device__ const Channel& operator()(int i) const { return channels[i]; }
};

template <int N, class Work>
__global__ void __launch_bounds__(kThreads) overPlanes(AbnShape shape, Work work) {
    using Same = SameChannel<decltype(work.channel(0))>;
    const std::int64_t planes = shape.batch * shape.channels;
    const std::int64_t stepPlanes = std::int64_t{gridDim.y} * blockDim.y;
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x * N;
    const std::int64_t first = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
    for (std::int64_t plane = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; plane < planes;
         plane += stepPlanes) {
        const auto channel = work.channel(plane % shape.channels);
        for (std::int64_t s = first; s < shape.positions; s += step) {
            work.template run<N>(Same{channel}, plane * shape.positions + s);
        }
    }
}

template <int N, class Work>
__global__ void __launch_bounds__(kThreads) overRows(AbnShape shape, Work work) {
    using Channel = decltype(work.channel(0));
    const std::int64_t rows = shape.batch * shape.positions;
    const std::int64_t stepRows = std::int64_t{gridDim.y} * blockDim.y;
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x * N;
    for (std::int64_t c = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N; c < shape.channels;
         c += step) {
        Channel channels[N];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            channels[i] = work.channel(c + i);
        }
        for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; row < rows;
             row += stepRows) {
            work.template run<N>(EachChannel<Channel>{channels}, row * shape.channels + c);
        }
    }
}

/// True if the shape's rows of contiguous values at these addresses can be read 16 bytes at a time.
template <class T, class... At>
bool packs(const AbnShape& shape, const At*... at) {
    const std::int64_t length = shape.channelsLast ? shape.channels : shape.positions;
    return (canPack<T>(at, length) && ...);
}

/// The number of a block's threads along an axis of `length` loads: a power of two. The rest of the 256
/// threads are along the other axis.
inline unsigned lanes(std::int64_t length, unsigned most) {
    unsigned count = 1;
    while (count < most && count < length) {
        count *= 2;
    }
    return count;
}

template <int N, class Work>
void launchChannelwise(const AbnShape& shape, const Work& work, cudaStream_t stream) {
    constexpr std::int64_t kMostBlocks = 32768;
    const std::int64_t length = (shape.channelsLast ? shape.channels : shape.positions) / N;
    const std::int64_t lines = shape.batch * (shape.channelsLast ? shape.positions : shape.channels);
    const unsigned x = lanes(length, shape.channelsLast ? 32 : kThreads);
    const unsigned y = kThreads / x;
    // A thread loads its channels' parameters once for 16 rows, or for 4 loads of a plane.
    const std::int64_t depth = shape.channelsLast ? 16 : 1, reach = shape.channelsLast ? x : 4 * x;
    const auto along = std::min<std::int64_t>((length + reach - 1) / reach, kMostBlocks);
    const auto down = std::min<std::int64_t>((lines + y * depth - 1) / (y * depth), kMostBlocks);
    const dim3 grid(static_cast<unsigned>(along), static_cast<unsigned>(down));
    if (shape.channelsLast) {
        launch(overRows<N, Work>, grid, dim3(x, y), stream, shape, work);
    } else {
        launch(overPlanes<N, Work>, grid, dim3(x, y), stream, shape, work);
    }
}

}  // namespace highwater::engine::kernels
