#pragma once

#include "core/engine/kernels/abn.h"

/// The activation, its inverse and its derivative, as device functions.
namespace highwater::engine::kernels {

struct Phi {
    bool elu;
    float slope, inverse, least;

    /// `leastOfType`: the smallest value above -1 that the element type still rounds to -1; elu's inverse is
    /// limited to it.
    Phi(const AbnActivation& a, float leastOfType)
        : elu(a.elu),
          slope(static_cast<float>(a.slope)),
          inverse(1.0F / static_cast<float>(a.slope)),
          least(leastOfType) {}

    __device__ float forward(float y) const {
        if (y > 0) {
            return y;
        }
        return elu ? expm1f(y) : y * slope;
    }
    __device__ float invert(float z) const {
        if (z > 0) {
            return z;
        }
        return elu ? log1pf(fmaxf(z, least)) : z * inverse;
    }
    /// dy from dz and the output z.
    __device__ float gradient(float z, float dz) const {
        if (z > 0) {
            return dz;
        }
        return elu ? dz * (z + 1) : dz * slope;
    }
};

}  // namespace highwater::engine::kernels
