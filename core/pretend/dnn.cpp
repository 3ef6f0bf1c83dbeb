#include "core/pretend/dnn.h"

#include <algorithm>
#include <cstdio>

#include "core/pretend/runtime.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// Handles, versions and descriptors of cuDNN.
struct cudnnContext {
    cudaStream_t stream = nullptr;
};

namespace highwater::pretend {

cudnnStatus_t dnnStatus() {
    if (driverError() != cudaSuccess) {
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    return lost() ? CUDNN_STATUS_EXECUTION_FAILED : CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnnLaunch(const char* what) {
    return launch(what) ? CUDNN_STATUS_EXECUTION_FAILED : dnnStatus();
}

double dataTypeBytes(cudnnDataType_t type) {
    switch (type) {
        case CUDNN_DATA_DOUBLE:
        case CUDNN_DATA_INT64:
            return 8;
        case CUDNN_DATA_HALF:
        case CUDNN_DATA_BFLOAT16:
            return 2;
        case CUDNN_DATA_INT8:
        case CUDNN_DATA_UINT8:
        case CUDNN_DATA_BOOLEAN:
            return 1;
        default:
            return 4;
    }
}

}  // namespace highwater::pretend

using namespace highwater::pretend;

namespace {

// Creates a descriptor that is never queried.
template <typename T>
cudnnStatus_t make(T** descriptor) {
    *descriptor = reinterpret_cast<T*>(new char[64]{});
    return CUDNN_STATUS_SUCCESS;
}

template <typename T>
cudnnStatus_t drop(T* descriptor) {
    delete[] reinterpret_cast<char*>(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

void give(const std::vector<int>& kept, int requested, int* out) {
    if (out) {
        std::copy_n(kept.begin(), std::min<std::size_t>(std::max(requested, 0), kept.size()), out);
    }
}

}  // namespace

extern "C" {

// Set HIGHWATER_PRETEND_CUDNN=91000 to report another version than the installed one.
size_t cudnnGetVersion() {
    constexpr size_t kWithoutOne = 91900;
    if (const std::size_t version = settings().cudnnVersion) {
        return version;
    }
    auto* real = realFunction<decltype(cudnnGetVersion)>("cudnnGetVersion");
    return real ? real() : kWithoutOne;
}
size_t cudnnGetCudartVersion() {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return version;
}
cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int* value) {
    const int version = static_cast<int>(cudnnGetVersion());
    *value = type == MAJOR_VERSION   ? version / 10000
             : type == MINOR_VERSION ? version / 100 % 100
                                     : version % 100;
    return CUDNN_STATUS_SUCCESS;
}
const char* cudnnGetErrorString(cudnnStatus_t status) {
    auto* real = realFunction<decltype(cudnnGetErrorString)>("cudnnGetErrorString");
    return real ? real(status) : "cuDNN status of the pretended device";
}
void cudnnGetLastErrorString(char* message, size_t bytes) {
    std::snprintf(message, bytes, "pretended device: nothing was executed");
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    *handle = new cudnnContext;
    return dnnStatus();
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    delete handle;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return dnnStatus();
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
    *stream = handle->stream;
    return dnnStatus();
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) {
    *tensor = new cudnnTensorStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
    delete tensor;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int dimensions,
                                         const int sizes[], const int strides[]) {
    *tensor = {type, {sizes, sizes + dimensions}, {strides, strides + dimensions}};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensor, int requested,
                                         cudnnDataType_t* type, int* dimensions, int sizes[], int strides[]) {
    *type = tensor->type;
    *dimensions = static_cast<int>(tensor->sizes.size());
    give(tensor->sizes, requested, sizes);
    give(tensor->strides, requested, strides);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter) {
    *filter = new cudnnFilterStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
    delete filter;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int dimensions, const int sizes[]) {
    *filter = {type, format, {sizes, sizes + dimensions}};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filter, int requested,
                                         cudnnDataType_t* type, cudnnTensorFormat_t* format, int* dimensions,
                                         int sizes[]) {
    *type = filter->type;
    *format = filter->format;
    *dimensions = static_cast<int>(filter->sizes.size());
    give(filter->sizes, requested, sizes);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* one) {
    return make(one);
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t one) {
    return drop(one);
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t, cudnnActivationMode_t,
                                           cudnnNanPropagation_t, double) {
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t* one) {
    return make(one);
}
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t one) {
    return drop(one);
}
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t, cudnnPoolingMode_t, cudnnNanPropagation_t,
                                          int, int, int, int, int, int) {
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t, const cudnnPoolingDescriptor_t, const void*,
                                  const cudnnTensorDescriptor_t, const void*, const void*,
                                  const cudnnTensorDescriptor_t, void*) {
    return dnnLaunch("cudnnPoolingForward");
}

}  // extern "C"
