#include <c10/util/Exception.h>

#include "core/engine/custom_conv_fused.h"

/// Stands for custom_conv_cuda.cpp where no CUDA kernels were compiled; missingKernels() keeps runs away.
namespace highwater::engine {

at::Tensor fusedForwardCuda(const predict::FusedConv&, const FusedTensors&, const stack::Shape&) {
    TORCH_CHECK(false, "this engine was built without nvcc: a fused custom_conv has no GPU kernels in it");
}

FusedGradients fusedBackwardCuda(const predict::FusedConv&, const FusedTensors&, const at::Tensor&, bool,
                                 bool) {
    TORCH_CHECK(false, "this engine was built without nvcc: a fused custom_conv has no GPU kernels in it");
}

}  // namespace highwater::engine
