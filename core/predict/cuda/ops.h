#pragma once

#include <unordered_map>

#include "core/predict/axes/cliffs.h"
#include "core/predict/cuda/workspace.h"
#include "core/predict/ghost/ops.h"

/// The operators that a GPU runs otherwise than the CPU, after ATen's sources (1.13 to 2.11) and the reports
/// named beside each rule. Compared allocation by allocation with LibTorch 2.11's own operators on a stand-in
/// device that executes nothing (docs/gpu-rules.md), with no other version, and with no real device yet.
/// Private to core/predict.
namespace highwater::predict::ghost {

/// What LibTorch keeps beside tensors.
struct CudaState {
    std::unordered_map<const TensorImpl*, Tensor> casts;  ///< of parameters, while autocast lasts
    StoragePtr cublas[2];            ///< workspaces, from the first use on: forward, backward
    std::vector<StoragePtr> scaler;  ///< the gradient scaler's numbers (fp16)
};
CudaState& cudaState(Machine&);
void startsCuda(Machine&);

Tensor scaledCuda(Machine&, const Tensor& loss);
void optimizeCuda(Machine&, const stack::Optimizer&, const std::vector<Parameter*>&,
                  std::vector<OptimizerState>&);

// --- cast.cpp
/// The type that autocast's convolutions compute in; Float32 where it is off.
DType autocastType(const Machine&);
bool isLow(DType type);  ///< fp16 or bf16
/// x, or a copy of another type whose gradient is cast back.
Tensor cast(Machine&, const Tensor& x, DType type);
/// A parameter for a convolution: its cast is kept until autocast ends, which it does after a recomputation,
/// too.
Tensor castParameter(Machine&, const Tensor& parameter);

// --- one family a file
Tensor convCuda(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArgs&);
void lookUpCuda(Machine&, const ConvKey&, Machine::Met&);
Tensor padCuda(Machine&, const Tensor& x, stack::PaddingMode, const Borders&);
Tensor normCuda(Machine&, const stack::Norm&, const LayerState&, const Tensor& x, ForwardMode);
Tensor activationCuda(Machine&, const stack::Activation&, const Tensor& x);
void rewriteViewCuda(Machine&, const Tensor& view, const NodePtr& node);
Tensor dropoutCuda(Machine&, const stack::Dropout&, const Tensor& x, ForwardMode);
Tensor mergeCuda(Machine&, stack::Merge::Kind, const Tensor& x, const Tensor& with);
Tensor poolCuda(Machine&, const stack::Pool&, const Tensor& x);
Tensor upsampleCuda(Machine&, const stack::Upsample&, const Tensor& x, const Dims& output);
Tensor widenCuda(Machine&, const Tensor& x);
Tensor widenForSoftmaxCuda(Machine&, const Tensor& x);
Tensor lossCuda(Machine&, stack::Loss, const Tensor& output, const Tensor& target);
void accumulateCuda(Machine&, Tensor& buffer, Tensor&& gradient);
Tensor generatorStateCuda(Machine&);

/// One channel or one place: such a tensor lies as in both layouts.
inline bool inBothLayouts(const Dims& dims) {
    return dims.rank < 4 || dims[1] == 1 || dims.spatial() == 1;
}
inline bool liesAs(const Tensor& tensor, bool channelsLast) {
    return tensor->contiguous && (tensor->channelsLast == channelsLast || inBothLayouts(tensor->dims));
}
/// A tensor as kernels want it: copied in passing where it lies otherwise.
inline StoragePtr layoutCopy(Machine& machine, const Tensor& tensor, bool channelsLast) {
    return liesAs(tensor, channelsLast) ? nullptr : machine.allocate(tensor->bytes());
}
inline StoragePtr contiguousCopy(Machine& machine, const Tensor& tensor) {
    return layoutCopy(machine, tensor, false);
}
/// A new tensor in a layout.
inline Tensor emptyAs(Machine& machine, const Dims& dims, DType dtype, bool channelsLast) {
    Tensor made = machine.empty(dims, dtype);
    made->channelsLast = channelsLast && dims.rank >= 4;
    return made;
}
/// resize_: where algorithms are deterministic, a scalar of its type lives in passing beside the new memory.
inline void resized(Machine& machine, DType dtype) {
    if (machine.target.settings.deterministic) {
        machine.allocate(sizeOf(dtype));
    }
}
inline Tensor resizedTo(Machine& machine, const Dims& dims, DType dtype, bool channelsLast = false) {
    Tensor made = emptyAs(machine, dims, dtype, channelsLast);
    resized(machine, dtype);
    return made;
}
/// A block that counts to the workspace; null for no bytes.
StoragePtr workspace(Machine&, std::string_view label, const Estimate& bytes);

}  // namespace highwater::predict::ghost
