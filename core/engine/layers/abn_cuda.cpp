#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "core/engine/kernels/abn_cuda.h"
#include "core/engine/layers/abn_compute.h"
#include "core/engine/layers/cuda_element.h"

namespace highwater::engine {

namespace {

constexpr const char* kAbnLayer = "inplace_abn";

kernels::AbnPlace placeOf(const AbnTensor& x, const AbnParameters& parameters, const AbnOptions& options) {
    return {elementOf(x.values, kAbnLayer),
            x.shape,
            options.activation,
            parameters.weight.data_ptr<float>(),
            parameters.bias.data_ptr<float>(),
            static_cast<float>(options.eps)};
}

}  // namespace

at::Tensor abnForwardCuda(const AbnTensor& x, const AbnParameters& parameters, const AbnOptions& options) {
    const kernels::AbnPlace place = placeOf(x, parameters, options);
    const c10::cuda::CUDAGuard device(x.values.device());
    const auto stream = c10::cuda::getCurrentCUDAStream().stream();
    void* const values = x.values.data_ptr();
    if (!options.batchStatistics) {
        kernels::abnApply(place, values, parameters.runningMean.data_ptr<float>(),
                          parameters.runningVar.data_ptr<float>(), true, stream);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        return {};
    }
    const at::TensorOptions floats = parameters.weight.options().requires_grad(false);
    at::Tensor invstd = at::empty({x.shape.channels}, floats);
    const at::Tensor mean = at::empty({x.shape.channels}, floats);
    {
        const at::Tensor passing = at::empty({kernels::abnMomentFloats(x.shape)}, floats);
        kernels::AbnStatistics to{mean.data_ptr<float>(), invstd.data_ptr<float>()};
        if (options.updateRunning) {
            to.runningMean = parameters.runningMean.data_ptr<float>();
            to.runningVar = parameters.runningVar.data_ptr<float>();
        }
        kernels::abnMoments(place, values, to, passing.data_ptr<float>(), stream);
    }
    kernels::abnApply(place, values, mean.data_ptr<float>(), invstd.data_ptr<float>(), false, stream);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return invstd;
}

void abnBackwardCuda(const AbnBackward& work, const AbnParameters& parameters, const AbnOptions& options) {
    const kernels::AbnPlace place = placeOf(work.z, parameters, options);
    const c10::cuda::CUDAGuard device(work.dz.device());
    const auto stream = c10::cuda::getCurrentCUDAStream().stream();
    const void *const z = work.z.values.data_ptr(), *const dz = work.dz.data_ptr();
    float *const dweight = work.dweight.data_ptr<float>(), *const dbias = work.dbias.data_ptr<float>();
    {
        const at::Tensor passing = at::empty({kernels::abnSumFloats(work.z.shape)}, work.invstd.options());
        kernels::abnSums(place, z, dz, dweight, dbias, passing.data_ptr<float>(), stream);
    }
    if (work.dx.defined()) {
        kernels::abnGradient(place, z, dz, work.dx.data_ptr(), work.invstd.data_ptr<float>(), dweight, dbias,
                             stream);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace highwater::engine
