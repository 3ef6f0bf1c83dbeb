#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "core/engine/kernels/custom_conv_cuda.h"
#include "core/engine/layers/cuda_element.h"
#include "core/engine/layers/custom_conv_fused.h"

namespace highwater::engine {

namespace {

constexpr const char* kFusedLayer = "a fused custom_conv";

void* pointer(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr() : nullptr;
}

}  // namespace

void fusedForwardCuda(const step::FusedConv& conv, const FusedTensors& tensors, const at::Tensor& y) {
    const c10::cuda::CUDAGuard device(tensors.x.device());
    const kernels::FusedCudaForward work{conv,
                                         elementOf(tensors.x, kFusedLayer),
                                         pointer(tensors.x),
                                         pointer(tensors.weight),
                                         pointer(tensors.fixed),
                                         pointer(tensors.bias),
                                         pointer(y)};
    kernels::fusedForward(work, c10::cuda::getCurrentCUDAStream().stream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void fusedBackwardCuda(const step::FusedConv& conv, const FusedTensors& inputs, const at::Tensor& gradient,
                       const FusedGradients& made) {
    const c10::cuda::CUDAGuard device(gradient.device());
    const at::Tensor partials =
        at::empty({step::cudaParts(conv) * conv.groups * conv.in}, gradient.options().dtype(at::kFloat));
    const kernels::FusedCudaBackward work{conv,
                                          elementOf(gradient, kFusedLayer),
                                          pointer(inputs.x),
                                          pointer(inputs.weight),
                                          pointer(inputs.fixed),
                                          pointer(gradient),
                                          pointer(made.input),
                                          pointer(made.weight),
                                          pointer(made.bias),
                                          partials.data_ptr<float>()};
    kernels::fusedBackward(work, c10::cuda::getCurrentCUDAStream().stream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace highwater::engine
