#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "core/predict/axes/cliffs.h"
#include "core/predict/ghost/ops.h"
#include "core/predict/workspaces/workspace.h"

/// The operators that behave differently on a GPU than on the CPU, based on ATen's sources (1.13 to 2.11) and
/// the issues cited at each rule. Compared allocation by allocation with LibTorch 2.11's own operators on a
/// pretended device that executes nothing (docs/gpu-rules.md). Not compared with other versions, nor yet with
/// a real device. Private to core/predict.
namespace highwater::predict::ghost {

/// Memory that LibTorch keeps in addition to the tensors of the network.
struct CudaState {
    std::unordered_map<const TensorImpl*, Tensor> casts;  ///< casts of parameters, cached while autocast is
                                                          ///< active
    StoragePtr cublas[2];  ///< cuBLAS workspaces of the forward and the backward thread, from their first use
                           ///< on
    StoragePtr cublasLt[2];  ///< the same for cuBLASLt
    /// Names of the convolution parts whose plans `benchmark` has timed, by the forward and the backward
    /// thread.
    std::set<std::string> searched[2];
    std::vector<StoragePtr> scaler;  ///< the gradient scaler's scalars (fp16)
};
CudaState& cudaState(Machine&);
void startsCuda(Machine&);

Tensor scaledCuda(Machine&, const Tensor& loss);
void optimizeCuda(Machine&, const stack::Experiment&, const std::vector<Parameter*>&,
                  std::vector<OptimizerState>&);

// --- cast.cpp
/// The type in which convolutions compute under autocast; Float32 if autocast is off.
DType autocastType(const Machine&);
bool isLow(DType type);  ///< fp16 or bf16
/// Returns x if it has this type, otherwise a copy in this type. The copy's gradient is cast back.
Tensor cast(Machine&, const Tensor& x, DType type);
/// Casts a parameter for a convolution. The cast is cached until autocast ends, which also happens after each
/// recomputation.
Tensor castParameter(Machine&, const Tensor& parameter);

// --- one family per file
Tensor convCuda(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArgs&);
void lookUpCuda(Machine&, const ConvKey&, Machine::Met&);
Tensor padCuda(Machine&, const Tensor& x, stack::PaddingMode, const Borders&);
Tensor normCuda(Machine&, const stack::Norm&, const LayerState&, const Tensor& x, ForwardMode);
Tensor layerNormCuda(Machine&, const stack::LayerNorm&, const LayerState&, const Tensor& x);
Tensor activationCuda(Machine&, const stack::Activation&, const Tensor& x);
Tensor preluCuda(Machine&, const Tensor& x, const Tensor& weight);
void rewriteViewCuda(Machine&, const Tensor& view, const NodePtr& node);
Tensor dropoutCuda(Machine&, const stack::Dropout&, const Tensor& x, ForwardMode);
Tensor mergeCuda(Machine&, stack::Merge::Kind, const Tensor& x, const std::vector<Tensor>& with,
                 const Dims& output);
Tensor poolCuda(Machine&, const stack::Pool&, const Tensor& x);
Tensor adaptivePoolCuda(Machine&, const stack::AdaptivePool&, const Tensor& x, const Dims& output);
Tensor linearCuda(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor upsampleCuda(Machine&, const stack::Upsample&, const Tensor& x, const Dims& output);
Tensor widenCuda(Machine&, const Tensor& x);
Tensor widenForSoftmaxCuda(Machine&, const Tensor& x);
Tensor lossCuda(Machine&, stack::Loss, const Tensor& output, const Tensor& target);
void accumulateCuda(Machine&, Tensor& buffer, Tensor&& gradient);
Tensor generatorStateCuda(Machine&);

/// Whether autograd's thread runs this operator; that thread has its own handles and caches. In Python it
/// also recomputes checkpointed segments; the engine does that on the main thread.
bool onAutogradThread(const Machine&);
/// Called when cuBLAS computes. From 2.0 on its workspace is a block of the caching allocator (#86645),
/// allocated at the first use by each thread: autograd's thread has its own handle.
void useCublas(Machine&);
void multipliedCuda(Machine&, bool withBias);
/// resize_: with deterministic algorithms, a scalar of its type is allocated and freed right after the new
/// memory.
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
/// Allocates a block in the category Workspace; nullptr for 0 bytes.
StoragePtr workspace(Machine&, std::string_view label, const Estimate& bytes);

}  // namespace highwater::predict::ghost
