#include "core/pretend/dnn.h"
#include "core/pretend/report.h"
#include "core/pretend/workspace_rules.h"

// Batch normalization of cuDNN, and the parts of cuDNN that are not modeled: CTC loss, spatial
// transformers.
using namespace highwater::pretend;

namespace {

cudnnStatus_t sizeOf(const char* rule, const cudnnTensorStruct* x, size_t* bytes) {
    OperandBytes operands;
    operands.x = x ? dataTypeBytes(x->type) : 0;
    for (std::size_t i = 0; x && i < x->sizes.size(); ++i) {
        operands.x *= x->sizes[i];
    }
    *bytes = workspaces(rule, operands)[0];
    return dnnStatus();
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnActivationDescriptor_t, size_t* bytes) {
    return sizeOf("norm_forward", x, bytes);
}
cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnActivationDescriptor_t,
    size_t* bytes) {
    return sizeOf("norm_backward", x, bytes);
}
cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(cudnnHandle_t, cudnnBatchNormMode_t,
                                                                   cudnnBatchNormOps_t,
                                                                   const cudnnActivationDescriptor_t,
                                                                   const cudnnTensorDescriptor_t x,
                                                                   size_t* bytes) {
    return sizeOf("reserve", x, bytes);
}

}  // extern "C"

// Their many arguments are not declared: in the C calling convention the caller cleans up.
#define WORK(name)                          \
    extern "C" int name##Work() asm(#name); \
    extern "C" int name##Work() {           \
        return dnnLaunch(#name);            \
    }
#define UNMODELLED(name)                                     \
    extern "C" int name##Refused() asm(#name);               \
    extern "C" int name##Refused() {                         \
        return unmodeled(#name, CUDNN_STATUS_NOT_SUPPORTED); \
    }

// clang-format off
WORK(cudnnBatchNormalizationBackwardEx) WORK(cudnnBatchNormalizationForwardInference)
WORK(cudnnBatchNormalizationForwardTrainingEx) WORK(cudnnRNNForward) WORK(cudnnRNNBackwardData_v8)
WORK(cudnnRNNBackwardWeights_v8)
UNMODELLED(cudnnCTCLoss) UNMODELLED(cudnnCTCLoss_v8) UNMODELLED(cudnnCreateCTCLossDescriptor)
UNMODELLED(cudnnCreateSpatialTransformerDescriptor)
UNMODELLED(cudnnDestroyCTCLossDescriptor) UNMODELLED(cudnnDestroySpatialTransformerDescriptor) UNMODELLED(cudnnGetCTCLossWorkspaceSize) UNMODELLED(cudnnGetCTCLossWorkspaceSize_v8)
UNMODELLED(cudnnSetCTCLossDescriptorEx)
UNMODELLED(cudnnSetCTCLossDescriptor_v9) UNMODELLED(cudnnSetSpatialTransformerNdDescriptor) UNMODELLED(cudnnSpatialTfGridGeneratorBackward)
UNMODELLED(cudnnSpatialTfGridGeneratorForward) UNMODELLED(cudnnSpatialTfSamplerBackward)
UNMODELLED(cudnnSpatialTfSamplerForward)
    // clang-format on
