#pragma once

#include "core/engine/kernels/abn.h"

namespace highwater::engine::kernels {

__device__ inline float activate(const AbnActivation& phi, float y) {
    if (y > 0)
        return y;
    return phi.elu ? expm1f(y) : y * phi.slope;
}

}  // namespace highwater::engine::kernels
