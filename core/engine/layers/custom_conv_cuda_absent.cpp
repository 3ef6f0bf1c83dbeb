#include <c10/util/Exception.h>

#include "core/engine/layers/custom_conv_fused.h"

/// Replaces custom_conv_cuda.cpp in a build without CUDA kernels. missingKernels() keeps runs from calling
/// it.
namespace highwater::engine {

void fusedForwardCuda(const step::FusedConv&, const FusedTensors&, const at::Tensor&) {
    TORCH_CHECK(false, "this engine was built without nvcc: a fused custom_conv has no GPU kernels in it");
}

void fusedBackwardCuda(const step::FusedConv&, const FusedTensors&, const at::Tensor&,
                       const FusedGradients&) {
    TORCH_CHECK(false, "this engine was built without nvcc: a fused custom_conv has no GPU kernels in it");
}

}  // namespace highwater::engine
