#pragma once

#include <ATen/core/Tensor.h>

#include "core/engine/kernels/element.h"

namespace highwater::engine {

/// The type of a tensor's elements for the project's CUDA kernels. Throws c10::Error, with the name of the
/// layer, if they do not support the type.
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
