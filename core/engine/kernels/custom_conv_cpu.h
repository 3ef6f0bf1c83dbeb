#pragma once

#include <cstdint>

#include "core/predict/fused_conv.h"

/// The fused custom_conv on the CPU (memory-model.md section 7). Plain C++, no LibTorch. T is float or
/// double; tensors are contiguous: x [batch, in, input], W [groups, in], d [out, kernel], y [batch, out,
/// output]. What a call computes does not depend on which other pieces it computes: any split over threads
/// gives the same bits.
namespace highwater::engine::kernels {

using predict::FusedBackwardTiles;
using predict::FusedConv;
using predict::FusedForwardTiles;

/// y_o = b_o + d_o * (W x)_c(o). The transform is made plane by plane of a piece, and never as a whole.
template <class T>
struct FusedForward {
    FusedConv conv;
    FusedForwardTiles tiles;
    const T *x = nullptr, *weight = nullptr, *fixed = nullptr;
    const T* bias = nullptr;  ///< null: none
    T* y = nullptr;
};
/// Pieces first to last - 1. `scratch`: tiles.scratch elements of the calling thread's own.
template <class T>
void fusedForward(const FusedForward<T>& work, std::int64_t first, std::int64_t last, T* scratch);

/// h = d^T * g (the transform's gradient), dx = W^T h, dW = h x^T, piece by piece.
template <class T>
struct FusedBackward {
    FusedConv conv;
    FusedBackwardTiles tiles;
    const T *x = nullptr, *weight = nullptr, *fixed = nullptr, *gradient = nullptr;
    T* inputGradient = nullptr;   ///< as x; null: not wanted
    T* weightPartials = nullptr;  ///< [parts, groups, in]; null: not wanted
};
/// Parts first to last - 1. `scratch`: tiles.scratch elements of the calling thread's own.
template <class T>
void fusedBackward(const FusedBackward<T>& work, std::int64_t first, std::int64_t last, T* scratch);

/// The sum over the parts, in their order: [groups, in].
template <class T>
void sumParts(const FusedBackward<T>& work, T* weightGradient);

/// The bias' gradient of outputs first to last - 1: the sum of each one's gradient.
template <class T>
void sumOutputs(const FusedConv& conv, const T* gradient, std::int64_t first, std::int64_t last,
                T* biasGradient);

}  // namespace highwater::engine::kernels
