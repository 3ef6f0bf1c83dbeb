#include <algorithm>

#include "core/pretend/dnn.h"
#include "core/pretend/work.h"
#include "core/pretend/workspace_rules.h"

// cuDNN's older convolution API: algorithm N has the workspace of the rules' N-th alternative.
using namespace highwater::pretend;

namespace {

double bytesOf(cudnnDataType_t type, const std::vector<int>& sizes) {
    double bytes = dataTypeBytes(type);
    for (const int size : sizes) {
        bytes *= size;
    }
    return bytes;
}

std::vector<std::uint64_t> sizesOf(const char* rule, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                                   cudnnTensorDescriptor_t y) {
    return workspaces(rule,
                      {bytesOf(x->type, x->sizes), bytesOf(w->type, w->sizes), bytesOf(y->type, y->sizes)});
}

template <typename Perf>
cudnnStatus_t algorithms(const std::vector<std::uint64_t>& sizes, int requested, int* found, Perf* results) {
    *found = std::min<int>(std::max(requested, 0), static_cast<int>(sizes.size()));
    for (int i = 0; i < *found; ++i) {
        results[i] = {};
        results[i].algo = static_cast<decltype(results[i].algo)>(i);
        results[i].status = CUDNN_STATUS_SUCCESS;
        results[i].time = static_cast<float>(i + 1);
        results[i].memory = sizes[i];
        results[i].determinism = CUDNN_DETERMINISTIC;
        results[i].mathType = CUDNN_DEFAULT_MATH;
    }
    return dnnStatus();
}

cudnnStatus_t sizeOf(const std::vector<std::uint64_t>& sizes, int algorithm, size_t* bytes) {
    if (algorithm < 0 || algorithm >= static_cast<int>(sizes.size())) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    *bytes = sizes[algorithm];
    return dnnStatus();
}

cudnnStatus_t run(const char* name, size_t workspace) {
    trace("cudnn-workspace", workspace, name);
    return dnnLaunch(name);
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* one) {
    *one = reinterpret_cast<cudnnConvolutionDescriptor_t>(new char[64]{});
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t one) {
    delete[] reinterpret_cast<char*>(one);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t, int, const int[], const int[],
                                              const int[], cudnnConvolutionMode_t, cudnnDataType_t) {
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t, int) {
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t) {
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t,
                                                     const cudnnTensorDescriptor_t y, const int requested,
                                                     int* found, cudnnConvolutionFwdAlgoPerf_t* results) {
    return algorithms(sizesOf("forward", x, w, y), requested, found, results);
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                     const void*, const cudnnFilterDescriptor_t w,
                                                     const void*, const cudnnConvolutionDescriptor_t,
                                                     const cudnnTensorDescriptor_t y, void*,
                                                     const int requested, int* found,
                                                     cudnnConvolutionFwdAlgoPerf_t* results, void*, size_t) {
    return algorithms(sizesOf("forward", x, w, y), requested, found, results);
}
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                      const cudnnFilterDescriptor_t w,
                                                      const cudnnConvolutionDescriptor_t,
                                                      const cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm, size_t* bytes) {
    return sizeOf(sizesOf("forward", x, w, y), algorithm, bytes);
}
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void*, const cudnnTensorDescriptor_t, const void*,
                                      const cudnnFilterDescriptor_t, const void*,
                                      const cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t, void*,
                                      size_t workspace, const void*, const cudnnTensorDescriptor_t, void*) {
    return run("cudnnConvolutionForward", workspace);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, const cudnnFilterDescriptor_t w,
                                                          const cudnnTensorDescriptor_t y,
                                                          const cudnnConvolutionDescriptor_t,
                                                          const cudnnTensorDescriptor_t x,
                                                          const int requested, int* found,
                                                          cudnnConvolutionBwdDataAlgoPerf_t* results) {
    return algorithms(sizesOf("input", x, w, y), requested, found, results);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const void*, const cudnnTensorDescriptor_t y, const void*,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t x, void*, const int requested,
    int* found, cudnnConvolutionBwdDataAlgoPerf_t* results, void*, size_t) {
    return algorithms(sizesOf("input", x, w, y), requested, found, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t, const cudnnFilterDescriptor_t w,
                                                           const cudnnTensorDescriptor_t y,
                                                           const cudnnConvolutionDescriptor_t,
                                                           const cudnnTensorDescriptor_t x,
                                                           cudnnConvolutionBwdDataAlgo_t algorithm,
                                                           size_t* bytes) {
    return sizeOf(sizesOf("input", x, w, y), algorithm, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void*, const cudnnFilterDescriptor_t,
                                           const void*, const cudnnTensorDescriptor_t, const void*,
                                           const cudnnConvolutionDescriptor_t, cudnnConvolutionBwdDataAlgo_t,
                                           void*, size_t workspace, const void*,
                                           const cudnnTensorDescriptor_t, void*) {
    return run("cudnnConvolutionBackwardData", workspace);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                            const cudnnTensorDescriptor_t y,
                                                            const cudnnConvolutionDescriptor_t,
                                                            const cudnnFilterDescriptor_t w,
                                                            const int requested, int* found,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t* results) {
    return algorithms(sizesOf("weight", x, w, y), requested, found, results);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const void*, const cudnnTensorDescriptor_t y, const void*,
    const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t w, void*, const int requested,
    int* found, cudnnConvolutionBwdFilterAlgoPerf_t* results, void*, size_t) {
    return algorithms(sizesOf("weight", x, w, y), requested, found, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                             const cudnnTensorDescriptor_t y,
                                                             const cudnnConvolutionDescriptor_t,
                                                             const cudnnFilterDescriptor_t w,
                                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                                             size_t* bytes) {
    return sizeOf(sizesOf("weight", x, w, y), algorithm, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void*, const cudnnTensorDescriptor_t,
                                             const void*, const cudnnTensorDescriptor_t, const void*,
                                             const cudnnConvolutionDescriptor_t,
                                             cudnnConvolutionBwdFilterAlgo_t, void*, size_t workspace,
                                             const void*, const cudnnFilterDescriptor_t, void*) {
    return run("cudnnConvolutionBackwardFilter", workspace);
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t, const void*, const cudnnTensorDescriptor_t, const void*, const cudnnFilterDescriptor_t,
    const void*, const cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t, void*, size_t workspace,
    const void*, const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnActivationDescriptor_t, const cudnnTensorDescriptor_t, void*) {
    return run("cudnnConvolutionBiasActivationForward", workspace);
}

}  // extern "C"
