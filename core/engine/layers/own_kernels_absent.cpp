#include <c10/util/Exception.h>

#include "core/engine/layers/abn_compute.h"

/// Stubs for a build without the project's CUDA kernels. missingKernels() keeps runs from calling them.
namespace highwater::engine {

at::Tensor abnForwardCuda(const AbnTensor&, const AbnParameters&, const AbnOptions&) {
    TORCH_CHECK(false, "this engine was built without nvcc: inplace_abn has no GPU kernels in it");
}

void abnBackwardCuda(const AbnBackward&, const AbnParameters&, const AbnOptions&) {
    TORCH_CHECK(false, "this engine was built without nvcc: inplace_abn has no GPU kernels in it");
}

}  // namespace highwater::engine
