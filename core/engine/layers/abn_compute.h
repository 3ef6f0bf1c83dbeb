#pragma once

#include "core/engine/layers/inplace_abn.h"

/// InPlace-ABN's arithmetic on tensors, without a graph. Private to core/engine.
namespace highwater::engine {

/// x or z as it lies in memory: `shape` says which kernels read it so.
struct AbnTensor {
    at::Tensor values;
    kernels::AbnShape shape;
};

struct AbnBackward {
    AbnTensor z;
    at::Tensor dz, dx;          ///< lie as z; dx may be dz or z, or undefined where it is not wanted
    at::Tensor invstd;          ///< what forward gave
    at::Tensor dweight, dbias;  ///< to be filled
};

// --- of one kind of device each; LibTorch's errors where the type is not one it has
/// x becomes z. Gives the inverse deviations; undefined where the running statistics are used.
at::Tensor abnForwardCpu(const AbnTensor& x, const AbnParameters&, const AbnOptions&);
at::Tensor abnForwardCuda(const AbnTensor& x, const AbnParameters&, const AbnOptions&);
void abnBackwardCpu(const AbnBackward&, const AbnParameters&, const AbnOptions&);
void abnBackwardCuda(const AbnBackward&, const AbnParameters&, const AbnOptions&);

}  // namespace highwater::engine
