#pragma once

#include "core/engine/kernels/channelwise.cuh"

/// Sums over each channel, in one pass over the tensors. `Work` has a type `Sum` that starts empty, with
///   __device__ void add(const Sum&)
///   __device__ Sum shuffled(int lanes) const     another lane's, in a warp
/// and itself
///   __device__ Channel channel(std::int64_t c) const the values that it needs for a channel
///   template <int N> __device__ void one(Sum&, const Channel&, std::int64_t at) const
///                                                          adds N values of one channel
///   template <int N> __device__ void each(Sum (&)[N], const Channel (&)[N], std::int64_t at) const
///                                                          adds a value of each of N channels
/// Every block writes a partial sum, [split][channel]; a second, small kernel adds those up. The order of
/// additions depends on the shape alone.
namespace highwater::engine::kernels {

template <class Sum>
__device__ Sum overWarp(Sum sum) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum.add(sum.shuffled(lanes));
    }
    return sum;
}

/// Room for `count` values in the block's shared memory, not initialized.
template <class Sum, int count>
__device__ Sum* sharedMemory() {
    alignas(16) __shared__ unsigned char room[sizeof(Sum) * count];
    return reinterpret_cast<Sum*>(room);
}

/// A block for each channel (x) and split (y).
template <int N, class Work>
__global__ void __launch_bounds__(kThreads)
    sumPlanes(AbnShape shape, Work work, typename Work::Sum* partial) {
    using Sum = typename Work::Sum;
    const std::int64_t c = blockIdx.x, row = shape.positions / N, loads = shape.batch * row;
    const std::int64_t share = (loads + gridDim.y - 1) / gridDim.y;
    const std::int64_t from = blockIdx.y * share, to = min(loads, from + share);
    const auto channel = work.channel(c);
    Sum sum;
    if (loads < (std::int64_t{1} << 31)) {  // divisions of 32-bit integers are much faster
        const auto row32 = static_cast<unsigned>(row), to32 = static_cast<unsigned>(to);
#pragma unroll 4
        for (unsigned i = static_cast<unsigned>(from) + threadIdx.x; i < to32; i += kThreads) {
            work.template one<N>(
                sum, channel,
                (std::int64_t{i / row32} * shape.channels + c) * shape.positions + i % row32 * N);
        }
    } else {
        for (std::int64_t i = from + threadIdx.x; i < to; i += kThreads) {
            work.template one<N>(sum, channel,
                                 (i / row * shape.channels + c) * shape.positions + i % row * N);
        }
    }

    Sum* const warps = sharedMemory<Sum, kThreads / 32>();
    sum = overWarp(sum);
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < kThreads / 32; ++warp) {
            sum.add(warps[warp]);
        }
        partial[blockIdx.y * shape.channels + c] = sum;
    }
}

/// Threads (x: channels, y: rows) of a block take rows in turn; blocks for channels (x) and splits (y).
template <int N, class Work>
__global__ void __launch_bounds__(kThreads) sumRows(AbnShape shape, Work work, typename Work::Sum* partial) {
    using Sum = typename Work::Sum;
    const std::int64_t rows = shape.batch * shape.positions, share = (rows + gridDim.y - 1) / gridDim.y;
    const std::int64_t from = blockIdx.y * share, to = min(rows, from + share);
    const std::int64_t c = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
    Sum sums[N];
    if (c < shape.channels) {
        decltype(work.channel(c)) channels[N];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            channels[i] = work.channel(c + i);
        }
#pragma unroll 4
        for (std::int64_t row = from + threadIdx.y; row < to; row += blockDim.y) {
            work.template each<N>(sums, channels, row * shape.channels + c);
        }
    }

    Sum* const all = sharedMemory<Sum, kThreads>();
    const unsigned mine = threadIdx.y * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        all[mine] = sums[i];
        __syncthreads();
        for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
            if (threadIdx.y < half) {
                all[mine].add(all[mine + half * blockDim.x]);
            }
            __syncthreads();
        }
        if (threadIdx.y == 0 && c < shape.channels) {
            partial[blockIdx.y * shape.channels + c + i] = all[mine];
        }
        __syncthreads();
    }
}

/// One warp for each channel adds the partial sums.
template <class Sum, class Finish>
__global__ void __launch_bounds__(kThreads)
    finishSums(std::int64_t channels, std::int64_t splits, const Sum* partial, Finish finish) {
    const std::int64_t c = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / 32;
    if (c >= channels) {
        return;
    }
    Sum sum;
    for (std::int64_t split = threadIdx.x % 32; split < splits; split += 32) {
        sum.add(partial[split * channels + c]);
    }
    sum = overWarp(sum);
    if (threadIdx.x % 32 == 0) {
        finish(c, sum);
    }
}

/// Calls finish(c, sum) on the device once for each channel. `passing` is temporary memory for
/// abnSplits(shape) sums per channel.
template <int N, class Work, class Finish>
void launchSums(const AbnShape& shape, const Work& work, float* passing, const Finish& finish,
                cudaStream_t stream) {
    using Sum = typename Work::Sum;
    auto* const partial = reinterpret_cast<Sum*>(passing);
    const std::int64_t splits = abnSplits(shape);
    const auto y = static_cast<unsigned>(splits);
    if (shape.channelsLast) {
        const unsigned across = lanes(shape.channels / N, 32);
        const std::int64_t tiles = (shape.channels / N + across - 1) / across;
        launch(sumRows<N, Work>, dim3(static_cast<unsigned>(tiles), y), dim3(across, kThreads / across),
               stream, shape, work, partial);
    } else {
        launch(sumPlanes<N, Work>, dim3(static_cast<unsigned>(shape.channels), y), kThreads, stream, shape,
               work, partial);
    }
    const auto blocks = static_cast<unsigned>((shape.channels * 32 + kThreads - 1) / kThreads);
    launch(finishSums<Sum, Finish>, blocks, kThreads, stream, shape.channels, splits, partial, finish);
}

}  // namespace highwater::engine::kernels
