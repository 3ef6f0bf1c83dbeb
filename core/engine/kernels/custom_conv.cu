#include <algorithm>
#include <type_traits>

#include "core/engine/kernels/custom_conv_cuda.h"
#include "core/engine/kernels/element.cuh"
// Needs the element conversions above.
#include "core/engine/kernels/custom_conv.cuh"

namespace highwater::engine::kernels {

namespace {

unsigned blocksFor(std::int64_t threads) {
    constexpr std::int64_t kMost = 65535;
    return static_cast<unsigned>(
        std::clamp<std::int64_t>((threads + kFusedThreads - 1) / kFusedThreads, 1, kMost));
}

template <class T>
void forward(const FusedCudaForward& work, cudaStream_t stream) {
    const FusedForwardOf<T> of{work.conv,
                               static_cast<const T*>(work.x),
                               static_cast<const T*>(work.weight),
                               static_cast<const T*>(work.fixed),
                               static_cast<const T*>(work.bias),
                               static_cast<T*>(work.y)};
    const FusedCudaTile tile = fusedTile(work.conv);
    if (tile.shared == 0 || tile.blocks > 0x7fffffff) {
        fusedForwardLarge<<<blocksFor(work.conv.batch * work.conv.out() * work.conv.outputPlaces()),
                            kFusedThreads, 0, stream>>>(of);
    } else {
        fusedForwardBlock<<<static_cast<unsigned>(tile.blocks), kFusedThreads,
                            static_cast<std::size_t>(tile.shared) * sizeof(float), stream>>>(of, tile);
    }
}

template <class T>
void backward(const FusedCudaBackward& work, cudaStream_t stream) {
    const FusedConv& conv = work.conv;
    const FusedBackwardOf<T> of{conv,
                                static_cast<const T*>(work.x),
                                static_cast<const T*>(work.weight),
                                static_cast<const T*>(work.fixed),
                                static_cast<const T*>(work.gradient),
                                static_cast<T*>(work.inputGradient),
                                work.partials};
    const std::int64_t parts = step::cudaParts(conv), elements = conv.groups * conv.in;
    const dim3 grid(static_cast<unsigned>(parts),
                    static_cast<unsigned>((conv.in + kFusedInputs - 1) / kFusedInputs));
    fusedBackwardBlock<<<grid, kFusedThreads, 0, stream>>>(of);
    fusedSumParts<<<static_cast<unsigned>((elements + kFusedThreads - 1) / kFusedThreads), kFusedThreads, 0,
                    stream>>>(work.partials, parts, elements, static_cast<T*>(work.weightGradient));
    if (work.biasGradient != nullptr) {
        fusedSumOutputs<<<static_cast<unsigned>(conv.out()), kFusedThreads, 0, stream>>>(
            conv, of.gradient, static_cast<T*>(work.biasGradient));
    }
}

/// Calls f with a null pointer to the element's type.
template <class F>
void withType(Element element, const F& f) {
    switch (element) {
        case Element::Float:
            return f(static_cast<float*>(nullptr));
        case Element::Half:
            return f(static_cast<__half*>(nullptr));
        case Element::BFloat16:
            return f(static_cast<__nv_bfloat16*>(nullptr));
    }
}

}  // namespace

void fusedForward(const FusedCudaForward& work, CUstream_st* stream) {
    withType(work.element, [&](auto* type) { forward<std::remove_pointer_t<decltype(type)>>(work, stream); });
}

void fusedBackward(const FusedCudaBackward& work, CUstream_st* stream) {
    withType(work.element,
             [&](auto* type) { backward<std::remove_pointer_t<decltype(type)>>(work, stream); });
}

}  // namespace highwater::engine::kernels
