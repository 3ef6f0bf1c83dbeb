#pragma once

#include <vector>

#include "core/pretend/abi/dnn.h"

// cuDNN's tensor and filter descriptors, whose shapes the workspace rules need.
struct cudnnTensorStruct {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    std::vector<int> sizes;
    std::vector<int> strides;
};
struct cudnnFilterStruct {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
    std::vector<int> sizes;
};

namespace highwater::pretend {

// Success, or why cuDNN cannot work: no driver, or the device is lost.
cudnnStatus_t dnnStatus();

// Counts a cuDNN launch, which is not executed.
cudnnStatus_t dnnLaunch(const char* what);

// Bytes of one element.
double dataTypeBytes(cudnnDataType_t type);

}  // namespace highwater::pretend
