#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "core/engine/kernels/element.h"

/// Conversions between stored elements and float, several at a time, 16 bytes per load.
namespace highwater::engine::kernels {

__device__ inline float toFloat(float value) {
    return value;
}
__device__ inline float toFloat(__half value) {
    return __half2float(value);
}
__device__ inline float toFloat(__nv_bfloat16 value) {
    return __bfloat162float(value);
}

template <class T>
__device__ T fromFloat(float value);
template <>
__device__ inline float fromFloat<float>(float value) {
    return value;
}
template <>
__device__ inline __half fromFloat<__half>(float value) {
    return __float2half_rn(value);
}
template <>
__device__ inline __nv_bfloat16 fromFloat<__nv_bfloat16>(float value) {
    return __float2bfloat16_rn(value);
}

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    T values[N];
};

/// Reads N values from an address; for N > 1 it must be a multiple of their total size.
template <int N, class T>
__device__ void load(const T* from, float (&to)[N]) {
    const auto pack = *reinterpret_cast<const Pack<T, N>*>(from);
#pragma unroll
    for (int i = 0; i < N; ++i) {
        to[i] = toFloat(pack.values[i]);
    }
}

template <int N, class T>
__device__ void store(const float (&from)[N], T* to) {
    Pack<T, N> pack;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        pack.values[i] = fromFloat<T>(from[i]);
    }
    *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

/// The number halfway between -1 and the next number above it: the smallest that the type rounds to -1.
template <class T>
constexpr float leastAboveMinusOne = -1 + 0x1p-24F;  // float has no number in between
template <>
inline constexpr float leastAboveMinusOne<__half> = -1 + 0x1p-12F;
template <>
inline constexpr float leastAboveMinusOne<__nv_bfloat16> = -1 + 0x1p-9F;

/// The number of elements in one load of 16 bytes.
template <class T>
constexpr int packed = 16 / sizeof(T);

template <class T>
struct As {
    using Type = T;
};
/// Calls f(As<T>()) with the element's type T.
template <class F>
void withElement(Element element, const F& f) {
    switch (element) {
        case Element::Float:
            return f(As<float>());
        case Element::Half:
            return f(As<__half>());
        case Element::BFloat16:
            return f(As<__nv_bfloat16>());
    }
}

/// True if consecutive rows of `length` elements from `at` on can be read 16 bytes at a time.
template <class T>
bool canPack(const void* at, std::int64_t length) {
    return reinterpret_cast<std::uintptr_t>(at) % 16 == 0 && length % packed<T> == 0;
}

}  // namespace highwater::engine::kernels
