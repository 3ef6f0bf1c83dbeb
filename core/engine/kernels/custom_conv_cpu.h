#pragma once

#include <cstdint>

#include "core/step/fused_conv.h"

/// The fused custom_conv on the CPU (docs/memory-model.md section 7). Plain C++, no LibTorch. T is float or
/// double. Tensors are contiguous: x [batch, in, input], W [groups, in], d [out, kernel], y [batch, out,
/// output]. The work is divided into pieces that are independent of each other: any split over threads gives
/// bit-equal results.
namespace highwater::engine::kernels {

using step::FusedBackwardTiles;
using step::FusedConv;
using step::FusedForwardTiles;

/// y_o = b_o + d_o * (W x)_c(o). The transform W x is computed plane by plane for each piece, never as a
/// whole.
template <class T>
struct FusedForward {
    FusedConv conv;
    FusedForwardTiles tiles;
    const T *x = nullptr, *weight = nullptr, *fixed = nullptr;
    const T* bias = nullptr;  ///< null: no bias
    T* y = nullptr;
};
/// Computes pieces first to last - 1. `scratch`: tiles.scratch elements that only the calling thread uses.
template <class T>
void fusedForward(const FusedForward<T>& work, std::int64_t first, std::int64_t last, T* scratch);

/// Backward: h = d^T * g (the transform's gradient), dx = W^T h, dW = h x^T, computed piece by piece.
template <class T>
struct FusedBackward {
    FusedConv conv;
    FusedBackwardTiles tiles;
    const T *x = nullptr, *weight = nullptr, *fixed = nullptr, *gradient = nullptr;
    T* inputGradient = nullptr;   ///< laid out as x; null: not wanted
    T* weightPartials = nullptr;  ///< [parts, groups, in]; null: not wanted
};
/// Computes parts first to last - 1. `scratch`: tiles.scratch elements that only the calling thread uses.
template <class T>
void fusedBackward(const FusedBackward<T>& work, std::int64_t first, std::int64_t last, T* scratch);

/// Sums weightPartials over the parts, in order, into weightGradient [groups, in].
template <class T>
void sumParts(const FusedBackward<T>& work, T* weightGradient);

/// The bias's gradient for output channels first to last - 1: the sum of each channel's gradient.
template <class T>
void sumOutputs(const FusedConv& conv, const T* gradient, std::int64_t first, std::int64_t last,
                T* biasGradient);

}  // namespace highwater::engine::kernels
