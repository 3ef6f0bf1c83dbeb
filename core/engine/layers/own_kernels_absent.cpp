#include <c10/util/Exception.h>

#include "core/engine/layers/abn_compute.h"

/// Stands for what CUDA kernels of our own do where they were not compiled; missingKernels() keeps runs away.
namespace highwater::engine {

at::Tensor abnForwardCuda(const AbnTensor&, const AbnParameters&, const AbnOptions&) {
    TORCH_CHECK(false, "this engine was built without nvcc: inplace_abn has no GPU kernels in it");
}

void abnBackwardCuda(const AbnBackward&, const AbnParameters&, const AbnOptions&) {
    TORCH_CHECK(false, "this engine was built without nvcc: inplace_abn has no GPU kernels in it");
}

}  // namespace highwater::engine
