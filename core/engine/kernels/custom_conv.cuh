#pragma once

#include <cstdint>

#include "core/step/fused_conv.h"

/// The kernels of the fused custom_conv on a GPU. The file that includes this defines the element conversions
/// toFloat(value) and fromFloat<T>(value). No thread returns before the last __syncthreads.
namespace highwater::engine::kernels {

#ifndef HIGHWATER_SHARED
#define HIGHWATER_SHARED __shared__
#endif

constexpr int kFusedThreads = 256;

using step::FusedConv;

template <class T>
struct FusedForwardOf {
    FusedConv conv;
    const T *x, *weight, *fixed, *bias;
    T* y;
};

/// The tile of one thread block: kColumns x rows of the output, over `planes` planes, for `channels`
/// transform channels.
struct FusedCudaTile {
    static constexpr int kColumns = 32;
    static constexpr int kMostChannels = 8;
    static constexpr std::int64_t kMostShared = 12288;  ///< floats: 48 KiB, which every GPU has

    int channels = kMostChannels, rows = 8;
    std::int64_t planes = 1;
    std::int64_t shared = 0;  ///< floats; 0: the kernel is too large for shared memory
    std::int64_t blocks = 0;
};

inline FusedCudaTile fusedTile(const FusedConv& conv) {
    FusedCudaTile tile;
    const auto over = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const auto floats = [&] {
        return tile.channels * conv.kernel[0] * (tile.rows + conv.kernel[1] - 1) *
               (FusedCudaTile::kColumns + conv.kernel[2] - 1);
    };
    while (tile.channels > 1 && (floats() > FusedCudaTile::kMostShared || tile.channels / 2 >= conv.groups)) {
        tile.channels /= 2;
    }
    while (tile.rows > 1 && floats() > FusedCudaTile::kMostShared) {
        tile.rows /= 2;
    }
    if (floats() > FusedCudaTile::kMostShared) {
        return tile;
    }
    tile.shared = floats();
    const std::int64_t sheets = conv.batch * over(conv.groups, tile.channels) *
                                over(conv.output[1], tile.rows) *
                                over(conv.output[2], FusedCudaTile::kColumns);
    // Enough blocks for a large GPU, as long as a block has many times the kernel's planes.
    const std::int64_t most = over(conv.output[0], 4 * conv.kernel[0]);
    const std::int64_t wanted = over(1024, sheets);
    tile.planes = over(conv.output[0], most < wanted ? most : wanted);
    tile.blocks = sheets * over(conv.output[0], tile.planes);
    return tile;
}

/// Computes W x for `kChannels` channels at two positions, so that each loaded weight is used twice. Without
/// a second position, `second` is position 0.
template <int kChannels, class T>
__device__ inline void transformTwo(const FusedForwardOf<T>& work, const T* x, std::int64_t channel,
                                    int channels, std::int64_t first, std::int64_t second,
                                    float (&sums)[2][kChannels]) {
    const std::int64_t places = work.conv.places();
    for (int c = 0; c < kChannels; ++c) {
        sums[0][c] = sums[1][c] = 0;
    }
    for (std::int64_t j = 0; j < work.conv.in; ++j) {
        const float a = toFloat(x[j * places + first]), b = toFloat(x[j * places + second]);
#pragma unroll
        for (int c = 0; c < kChannels; ++c) {
            if (c < channels) {
                const float by = toFloat(work.weight[(channel + c) * work.conv.in + j]);
                sums[0][c] += by * a;
                sums[1][c] += by * b;
            }
        }
    }
}

/// The index in the input's plane of a position in the ring's plane; below 0 if it is in the zero padding.
__device__ inline std::int64_t placeOf(const FusedConv& conv, int index, int width, std::int64_t y,
                                       std::int64_t x) {
    const std::int64_t line = y - conv.padding[1] + index / width,
                       column = x - conv.padding[2] + index % width;
    const bool inside = line >= 0 && line < conv.input[1] && column >= 0 && column < conv.input[2];
    return inside ? line * conv.input[2] + column : -1;
}

template <class T>
__global__ void __launch_bounds__(kFusedThreads)
    fusedForwardBlock(FusedForwardOf<T> work, FusedCudaTile tile) {
    extern __shared__ float fusedRing[];  // [channels][kernel depth][height][width]
    const FusedConv& conv = work.conv;
    const int width = FusedCudaTile::kColumns + static_cast<int>(conv.kernel[2]) - 1;
    const int height = tile.rows + static_cast<int>(conv.kernel[1]) - 1;
    const int plane = width * height, depth = static_cast<int>(conv.kernel[0]);
    std::int64_t rest = blockIdx.x;
    const auto take = [&rest](std::int64_t length, std::int64_t each) {
        const std::int64_t count = (length + each - 1) / each, start = rest % count * each;
        rest /= count;
        return start;
    };
    const std::int64_t x = take(conv.output[2], FusedCudaTile::kColumns), y = take(conv.output[1], tile.rows);
    const std::int64_t z = take(conv.output[0], tile.planes), channel = take(conv.groups, tile.channels);
    const std::int64_t planes = conv.output[0] - z < tile.planes ? conv.output[0] - z : tile.planes;
    const int channels =
        conv.groups - channel < tile.channels ? static_cast<int>(conv.groups - channel) : tile.channels;
    const T* const input = work.x + rest * conv.in * conv.places();
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / FusedCudaTile::kColumns, column = thread % FusedCudaTile::kColumns;
    const bool gives = row < tile.rows && y + row < conv.output[1] && x + column < conv.output[2];

    for (std::int64_t i = 0; i < planes + depth - 1; ++i) {
        const std::int64_t from = z - conv.padding[0] + i;
        const bool has = from >= 0 && from < conv.input[0];
        float* const to = fusedRing + i % depth * plane;
        for (int index = thread; index < plane; index += 2 * kFusedThreads) {
            const int other = index + kFusedThreads;
            const std::int64_t first = has ? placeOf(conv, index, width, y, x) : -1;
            const std::int64_t second = has && other < plane ? placeOf(conv, other, width, y, x) : -1;
            float sums[2][FusedCudaTile::kMostChannels] = {};
            if (first >= 0 || second >= 0) {
                const std::int64_t start = from * conv.input[1] * conv.input[2];
                transformTwo(work, input, channel, channels, start + (first < 0 ? 0 : first),
                             start + (second < 0 ? 0 : second), sums);
            }
#pragma unroll
            for (int c = 0; c < FusedCudaTile::kMostChannels; ++c) {
                if (c < channels) {
                    to[c * depth * plane + index] = first < 0 ? 0 : sums[0][c];
                    if (other < plane) {
                        to[c * depth * plane + other] = second < 0 ? 0 : sums[1][c];
                    }
                }
            }
        }
        __syncthreads();
        if (i >= depth - 1 && gives) {
            const std::int64_t out =
                ((z + i - depth + 1) * conv.output[1] + y + row) * conv.output[2] + x + column;
            for (int c = 0; c < channels; ++c) {
                for (std::int64_t e = 0; e < conv.each; ++e) {
                    const std::int64_t o = (channel + c) * conv.each + e;
                    const T* tap = work.fixed + o * conv.taps();
                    float sum = work.bias != nullptr ? toFloat(work.bias[o]) : 0;
                    for (int uz = 0; uz < depth; ++uz) {
                        const std::int64_t slot = (i + 1 + uz) % depth;
                        const float* line = fusedRing + (c * depth + slot) * plane + row * width + column;
                        for (int uy = 0; uy < conv.kernel[1]; ++uy, line += width) {
                            for (int ux = 0; ux < conv.kernel[2]; ++ux) {
                                sum += toFloat(*tap++) * line[ux];
                            }
                        }
                    }
                    work.y[(rest * conv.out() + o) * conv.outputPlaces() + out] = fromFloat<T>(sum);
                }
            }
        }
        __syncthreads();
    }
}

/// For a kernel too large for shared memory: one output per thread; the transform is recomputed for each
/// tap.
template <class T>
__global__ void __launch_bounds__(kFusedThreads) fusedForwardLarge(FusedForwardOf<T> work) {
    const FusedConv& conv = work.conv;
    const std::int64_t all = conv.batch * conv.out() * conv.outputPlaces();
    const std::int64_t step = std::int64_t{gridDim.x} * kFusedThreads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * kFusedThreads + threadIdx.x; i < all; i += step) {
        const std::int64_t x = i % conv.output[2], y = i / conv.output[2] % conv.output[1];
        const std::int64_t z = i / (conv.output[2] * conv.output[1]) % conv.output[0];
        const std::int64_t o = i / conv.outputPlaces() % conv.out(), n = i / conv.outputPlaces() / conv.out();
        const T* const weight = work.weight + o / conv.each * conv.in;
        const T* tap = work.fixed + o * conv.taps();
        float sum = work.bias != nullptr ? toFloat(work.bias[o]) : 0;
        for (std::int64_t uz = 0; uz < conv.kernel[0]; ++uz) {
            for (std::int64_t uy = 0; uy < conv.kernel[1]; ++uy) {
                for (std::int64_t ux = 0; ux < conv.kernel[2]; ++ux, ++tap) {
                    const std::int64_t atZ = z + uz - conv.padding[0], atY = y + uy - conv.padding[1],
                                       atX = x + ux - conv.padding[2];
                    if (atZ < 0 || atZ >= conv.input[0] || atY < 0 || atY >= conv.input[1] || atX < 0 ||
                        atX >= conv.input[2]) {
                        continue;
                    }
                    const T* const from = work.x + n * conv.in * conv.places() +
                                          (atZ * conv.input[1] + atY) * conv.input[2] + atX;
                    float transformed = 0;
                    for (std::int64_t j = 0; j < conv.in; ++j) {
                        transformed += toFloat(weight[j]) * toFloat(from[j * conv.places()]);
                    }
                    sum += toFloat(*tap) * transformed;
                }
            }
        }
        work.y[i] = fromFloat<T>(sum);
    }
}

template <class T>
struct FusedBackwardOf {
    FusedConv conv;
    const T *x, *weight, *fixed, *gradient;
    T* inputGradient;  ///< null: not wanted
    float* partials;   ///< [gridDim.x][groups][in]
};

/// A thread block works on kFusedPlaces positions of one sample at a time. It computes the transform's
/// gradient for kFusedGroups channels, and from it dx and its share of dW for the kFusedInputs input channels
/// of blockIdx.y.
constexpr int kFusedPlaces = 64, kFusedGroups = 32, kFusedInputs = 64;
constexpr int kFusedPitch = kFusedPlaces + 1;  ///< so that channels are in different memory banks

/// h_c at one place: d_c^T g_c.
template <class T>
__device__ inline float untransformed(const FusedBackwardOf<T>& work, std::int64_t n, std::int64_t c,
                                      std::int64_t place) {
    const FusedConv& conv = work.conv;
    const std::int64_t x = place % conv.input[2] + conv.padding[2];
    const std::int64_t y = place / conv.input[2] % conv.input[1] + conv.padding[1];
    const std::int64_t z = place / (conv.input[2] * conv.input[1]) + conv.padding[0];
    float sum = 0;
    for (std::int64_t e = 0; e < conv.each; ++e) {
        const std::int64_t o = c * conv.each + e;
        const T* const gradient = work.gradient + (n * conv.out() + o) * conv.outputPlaces();
        const T* tap = work.fixed + o * conv.taps();
        for (std::int64_t uz = 0; uz < conv.kernel[0]; ++uz) {
            for (std::int64_t uy = 0; uy < conv.kernel[1]; ++uy) {
                const std::int64_t atZ = z - uz, atY = y - uy;
                if (atZ < 0 || atZ >= conv.output[0] || atY < 0 || atY >= conv.output[1]) {
                    tap += conv.kernel[2];
                    continue;
                }
                const T* const line = gradient + (atZ * conv.output[1] + atY) * conv.output[2];
                for (std::int64_t ux = 0; ux < conv.kernel[2]; ++ux, ++tap) {
                    if (x - ux >= 0 && x - ux < conv.output[2]) {
                        sum += toFloat(*tap) * toFloat(line[x - ux]);
                    }
                }
            }
        }
    }
    return sum;
}

template <class T>
__global__ void __launch_bounds__(kFusedThreads) fusedBackwardBlock(FusedBackwardOf<T> work) {
    HIGHWATER_SHARED float transformed[kFusedGroups * kFusedPitch];
    HIGHWATER_SHARED float inputs[kFusedInputs * kFusedPitch];
    constexpr int kLanes = kFusedThreads / kFusedPlaces;      // threads that share a place
    constexpr int kPairLanes = kFusedThreads / kFusedGroups;  // threads that share a channel
    const FusedConv& conv = work.conv;
    const int thread = static_cast<int>(threadIdx.x);
    const int slot = thread % kFusedPlaces, lane = thread / kFusedPlaces;
    const int pairChannel = thread % kFusedGroups, pairLane = thread / kFusedGroups;
    const std::int64_t firstInput = std::int64_t{blockIdx.y} * kFusedInputs;
    const int inputsHere =
        conv.in - firstInput < kFusedInputs ? static_cast<int>(conv.in - firstInput) : kFusedInputs;
    const std::int64_t places = conv.places(), tilesEach = (places + kFusedPlaces - 1) / kFusedPlaces;
    float* const sums = work.partials + std::int64_t{blockIdx.x} * conv.groups * conv.in;

    for (std::int64_t c = pairChannel; c < conv.groups; c += kFusedGroups) {
        for (int j = pairLane; j < inputsHere; j += kPairLanes) {
            sums[c * conv.in + firstInput + j] = 0;
        }
    }
    for (std::int64_t tile = blockIdx.x; tile < conv.batch * tilesEach; tile += gridDim.x) {
        const std::int64_t n = tile / tilesEach, place = tile % tilesEach * kFusedPlaces + slot;
        const bool has = place < places;
        const std::int64_t start = n * conv.in * places + firstInput * places + place;
        for (int j = lane; j < inputsHere; j += kLanes) {
            inputs[j * kFusedPitch + slot] = has ? toFloat(work.x[start + j * places]) : 0;
        }
        float gradients[kFusedInputs / kLanes] = {};
        for (std::int64_t c0 = 0; c0 < conv.groups; c0 += kFusedGroups) {
            const int channels =
                conv.groups - c0 < kFusedGroups ? static_cast<int>(conv.groups - c0) : kFusedGroups;
            for (int c = lane; c < channels; c += kLanes) {
                transformed[c * kFusedPitch + slot] = has ? untransformed(work, n, c0 + c, place) : 0;
            }
            __syncthreads();
            if (work.inputGradient != nullptr) {
                for (int c = 0; c < channels; ++c) {
                    const float value = transformed[c * kFusedPitch + slot];
                    const T* const weight = work.weight + (c0 + c) * conv.in + firstInput;
#pragma unroll
                    for (int k = 0; k < kFusedInputs / kLanes; ++k) {
                        if (const int j = lane + k * kLanes; j < inputsHere) {
                            gradients[k] += toFloat(weight[j]) * value;
                        }
                    }
                }
            }
            if (pairChannel < channels) {
                for (int j = pairLane; j < inputsHere; j += kPairLanes) {
                    float sum = 0;
                    for (int p = 0; p < kFusedPlaces; ++p) {
                        sum += transformed[pairChannel * kFusedPitch + p] * inputs[j * kFusedPitch + p];
                    }
                    sums[(c0 + pairChannel) * conv.in + firstInput + j] += sum;
                }
            }
            __syncthreads();
        }
        if (work.inputGradient != nullptr && has) {
#pragma unroll
            for (int k = 0; k < kFusedInputs / kLanes; ++k) {
                if (const int j = lane + k * kLanes; j < inputsHere) {
                    work.inputGradient[start + j * places] = fromFloat<T>(gradients[k]);
                }
            }
        }
    }
}

/// Sums the parts in order.
template <class T>
__global__ void __launch_bounds__(kFusedThreads)
    fusedSumParts(const float* partials, std::int64_t parts, std::int64_t elements, T* to) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kFusedThreads + threadIdx.x;
    if (i >= elements) {
        return;
    }
    float sum = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
        sum += partials[part * elements + i];
    }
    to[i] = fromFloat<T>(sum);
}

/// Sums the gradient of output channel blockIdx.x.
template <class T>
__global__ void __launch_bounds__(kFusedThreads) fusedSumOutputs(FusedConv conv, const T* gradient, T* to) {
    HIGHWATER_SHARED float sums[kFusedThreads];
    const int thread = static_cast<int>(threadIdx.x);
    float sum = 0;
    for (std::int64_t n = 0; n < conv.batch; ++n) {
        const T* const from = gradient + (n * conv.out() + blockIdx.x) * conv.outputPlaces();
        for (std::int64_t i = thread; i < conv.outputPlaces(); i += kFusedThreads) {
            sum += toFloat(from[i]);
        }
    }
    sums[thread] = sum;
    for (int half = kFusedThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) {
            sums[thread] += sums[thread + half];
        }
    }
    __syncthreads();
    if (thread == 0) {
        to[blockIdx.x] = fromFloat<T>(sums[0]);
    }
}

}  // namespace highwater::engine::kernels
