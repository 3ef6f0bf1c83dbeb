#include "core/pretend/abi/fft.h"

#include <atomic>

#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// cuFFT. A plan's workspace is an estimate: as many complex values as the transforms have, which is what a
// plan with several kernels stores in between.
using namespace highwater::pretend;

namespace {

size_t complexBytes(cudaDataType type) {
    switch (type) {
        case CUDA_R_64F:
        case CUDA_C_64F:
            return 16;
        case CUDA_R_32F:
        case CUDA_C_32F:
            return 8;
        default:
            return 4;
    }
}

}  // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* plan) {
    static std::atomic<int> next{1};
    *plan = next++;
    return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle) {
    return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle, int) {
    return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle, cudaStream_t) {
    return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle, void*) {
    return CUFFT_SUCCESS;
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* sizes, long long*, long long,
                                long long, cudaDataType, long long*, long long, long long, cudaDataType,
                                long long batch, size_t* workspace, cudaDataType execution) {
    if (plan < 1 || !sizes || !workspace) {
        return CUFFT_INVALID_PLAN;
    }
    sayOnce("the workspaces of cuFFT are an estimate");
    size_t bytes = complexBytes(execution) * static_cast<size_t>(batch);
    for (int axis = 0; axis < rank; ++axis) {
        bytes *= static_cast<size_t>(sizes[axis]);
    }
    *workspace = bytes;
    return CUFFT_SUCCESS;
}
cufftResult cufftXtExec(cufftHandle, void*, void*, int) {
    return launch("cufftXtExec") ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}

}  // extern "C"
