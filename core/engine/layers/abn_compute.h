#pragma once

#include "core/engine/layers/inplace_abn.h"

/// InPlace-ABN's forward and backward on tensors, without autograd. Private to core/engine.
namespace highwater::engine {

/// x or z, with the shape and layout in which the kernels read it.
struct AbnTensor {
    at::Tensor values;
    kernels::AbnShape shape;
};

struct AbnBackward {
    AbnTensor z;
    at::Tensor dz, dx;  ///< laid out as z; dx may share memory with dz or z, and is undefined if not wanted
    at::Tensor invstd;  ///< the result of forward
    at::Tensor dweight, dbias;  ///< outputs
};

// --- One function for each kind of device. A type that it does not support is a LibTorch error.
/// Overwrites x with z. Returns the inverse standard deviations [C]; undefined if the running statistics are
/// used.
at::Tensor abnForwardCpu(const AbnTensor& x, const AbnParameters&, const AbnOptions&);
at::Tensor abnForwardCuda(const AbnTensor& x, const AbnParameters&, const AbnOptions&);
void abnBackwardCpu(const AbnBackward&, const AbnParameters&, const AbnOptions&);
void abnBackwardCuda(const AbnBackward&, const AbnParameters&, const AbnOptions&);

}  // namespace highwater::engine
