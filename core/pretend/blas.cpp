#include "core/pretend/abi/blas.h"
#include "core/pretend/runtime.h"
#include "core/pretend/work.h"

// Handles and settings of cuBLAS and cuBLASLt; their calculations are in blas_work.cpp.
struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointerMode = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t mathMode = CUBLAS_DEFAULT_MATH;
};

using namespace highwater::pretend;

namespace {

constexpr int kVersion = 130100;  // if none of NVIDIA's is loaded

cublasStatus_t status() {
    if (driverError() != cudaSuccess) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    return lost() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t make(T** handle) {
    *handle = reinterpret_cast<T*>(new char[256]{});
    return status();
}

template <typename T>
cublasStatus_t drop(T* handle) {
    delete[] reinterpret_cast<char*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    *handle = new cublasContext;
    return status();
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return status();
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
    *stream = handle->stream;
    return status();
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, size_t bytes) {
    trace("cublas-workspace", bytes, "");
    return status();
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
    *mode = handle->pointerMode;
    return status();
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
    handle->pointerMode = mode;
    return status();
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    *mode = handle->mathMode;
    return status();
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    handle->mathMode = mode;
    return status();
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t, int) {
    return status();
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
    auto* real = realFunction<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2");
    *version = kVersion;
    return real ? real(nullptr, version) : (static_cast<void>(handle), CUBLAS_STATUS_SUCCESS);
}

size_t cublasLtGetVersion() {
    auto* real = realFunction<decltype(cublasLtGetVersion)>("cublasLtGetVersion");
    return real ? real() : kVersion;
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    return make(handle);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    return drop(handle);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t,
                                        cudaDataType) {
    return make(description);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    return drop(description);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t,
                                              const void*, size_t) {
    return status();
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType, uint64_t, uint64_t,
                                          int64_t) {
    return make(layout);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    return drop(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t,
                                                const void*, size_t) {
    return status();
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    return make(preference);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    return drop(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t, const void*,
                                                    size_t) {
    return status();
}

// One algorithm, which needs no workspace.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatmulPreference_t,
                                              int requested, cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
    *found = requested > 0 ? 1 : 0;
    if (*found) {
        results[0] = {};
        results[0].state = CUBLAS_STATUS_SUCCESS;
        results[0].wavesCount = 1;
    }
    return status();
}

}  // extern "C"
