#pragma once

#include <unordered_map>

#include "core/predict/cliffs.h"
#include "core/predict/cuda_workspace.h"
#include "core/predict/ghost_ops.h"

/// The operators that a GPU runs otherwise than the CPU. None of this was compared with a real device yet: it
/// follows ATen's sources (1.13 to 2.11) and the reports named beside each rule. Private to core/predict.
namespace highwater::predict::ghost {

/// What LibTorch keeps beside tensors.
struct CudaState {
    std::unordered_map<const TensorImpl*, Tensor> casts;  ///< of parameters, while autocast lasts
    StoragePtr cublas[2];            ///< workspaces, from the first use on: forward, backward
    std::vector<StoragePtr> scaler;  ///< the gradient scaler's numbers (fp16)
};
CudaState& cudaState(Machine&);
void startsCuda(Machine&);

Tensor forwardEndsCuda(Machine&, Tensor loss);


// --- cuda_cast.cpp
/// The type that autocast's convolutions compute in; Float32 where it is off.
DType autocastType(const Machine&);
bool isLow(DType type);  ///< fp16 or bf16
/// x, or a copy of another type whose gradient is cast back.
Tensor cast(Machine&, const Tensor& x, DType type);
/// A parameter for a convolution: its cast is kept until autocast ends, but not while recomputing.
Tensor castParameter(Machine&, const Tensor& parameter);

// --- one family a file
Tensor convCuda(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArgs&);
void lookUpCuda(Machine&, const ConvKey&, Machine::Met&);
Tensor padCuda(Machine&, const Tensor& x, stack::PaddingMode, const Borders&);
Tensor normCuda(Machine&, const stack::Norm&, const LayerState&, const Tensor& x, ForwardMode);
Tensor activationCuda(Machine&, const stack::Activation&, const Tensor& x);
Tensor dropoutCuda(Machine&, const stack::Dropout&, const Tensor& x, ForwardMode);
Tensor mergeCuda(Machine&, stack::Merge::Kind, const Tensor& x, const Tensor& with);
Tensor poolCuda(Machine&, const stack::Pool&, const Tensor& x);
Tensor upsampleCuda(Machine&, const stack::Upsample&, const Tensor& x, const Dims& output);
Tensor widenCuda(Machine&, const Tensor& x);
Tensor widenForSoftmaxCuda(Machine&, const Tensor& x);
Tensor lossCuda(Machine&, stack::Loss, const Tensor& output, const Tensor& target);
void accumulateCuda(Machine&, Tensor& buffer, Tensor&& gradient);
Tensor generatorStateCuda(Machine&);

/// A gradient as kernels want it: copied in passing where it is a view.
inline StoragePtr contiguousCopy(Machine& machine, const Tensor& tensor) {
    return tensor->contiguous ? nullptr : machine.allocate(tensor->bytes());
}
/// A block that counts to the workspace; null for no bytes.
StoragePtr workspace(Machine&, std::string_view label, const Estimate& bytes);

}  // namespace highwater::predict::ghost
