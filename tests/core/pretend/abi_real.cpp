#if __has_include(<cublasLt.h>) && __has_include(<cudnn.h>) && __has_include(<cufftXt.h>)

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#define __CUDA_RUNTIME_H__  // it overloads functions for C++
#include <cufftXt.h>

#if __has_include(<cuda_profiler_api.h>)
#include <cuda_profiler_api.h>
#else  // missing in wheels
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();
#endif
#if __has_include(<nvml.h>)
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>
#define NVML_IS_THERE
#endif
#if __has_include(<nccl.h>)
#include <nccl.h>
#define ABI_OF_NCCL NCCL_VERSION_CODE
#else
#define ABI_OF_NCCL 0
#endif
#define ABI_NVML(ours, theirs) theirs
#if CUDART_VERSION < 13000
#define ABI_OF_CUDA_12
#else
#define ABI_OF_CUDA_13
#endif
#include "tests/core/pretend/abi_description.h"

namespace highwater::pretend {

AbiDescription realAbi() {
    AbiDescription words = describe();
    describeProperties<cudaDeviceProp>(
        words, "cudaDeviceProp of CUDA " + std::to_string(static_cast<int>(CUDART_VERSION) / 1000));
    return words;
}

}  // namespace highwater::pretend

#else

#include "tests/core/pretend/abi_test.h"

namespace highwater::pretend {

AbiDescription realAbi() {
    return {};
}

}  // namespace highwater::pretend

#endif
