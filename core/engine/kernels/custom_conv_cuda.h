#pragma once

#include "core/engine/kernels/element.h"
#include "core/step/fused_conv.h"

struct CUstream_st;

/// The fused custom_conv on a GPU (docs/memory-model.md section 7). All pointers are to device memory;
/// tensors are contiguous and of one type: x [batch, in, input], W [groups, in], d [out, kernel], y [batch,
/// out, output]. Arithmetic is float. Calls return at once; a failed launch sets CUDA's last error.
namespace highwater::engine::kernels {

struct FusedCudaForward {
    step::FusedConv conv;
    Element element = Element::Float;
    const void *x = nullptr, *weight = nullptr, *fixed = nullptr;
    const void* bias = nullptr;  ///< null: no bias
    void* y = nullptr;
};
void fusedForward(const FusedCudaForward& work, CUstream_st* stream);

struct FusedCudaBackward {
    step::FusedConv conv;
    Element element = Element::Float;
    const void *x = nullptr, *weight = nullptr, *fixed = nullptr, *gradient = nullptr;
    void* inputGradient = nullptr;  ///< null: not wanted
    void* weightGradient = nullptr;
    void* biasGradient = nullptr;  ///< null: not wanted
    float* partials = nullptr;     ///< temporary memory: step::cudaParts(conv) x groups x in floats
};
void fusedBackward(const FusedCudaBackward& work, CUstream_st* stream);

}  // namespace highwater::engine::kernels
