#pragma once

#include <ATen/core/Tensor.h>

#include "core/engine/kernels/element.h"

namespace highwater::engine {

/// What our CUDA kernels call the type of a tensor's elements. Throws c10::Error, which names the layer, for
/// a type that they are not made for.
inline kernels::Element elementOf(const at::Tensor& x, const char* layer) {
    switch (x.scalar_type()) {
        case at::kFloat:
            return kernels::Element::Float;
        case at::kHalf:
            return kernels::Element::Half;
        case at::kBFloat16:
            return kernels::Element::BFloat16;
        default:
            break;
    }
    TORCH_CHECK(false, layer, " on a GPU has kernels for float, half and bfloat16, not for ",
                x.scalar_type());
}

}  // namespace highwater::engine
