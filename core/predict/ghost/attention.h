#pragma once

#include <array>

#include "core/predict/ghost/ops.h"

/// scaled_dot_product_attention: which kernel PyTorch computes it with, and what that allocates and keeps
/// (aten/src/ATen/native/transformers). Private to core/predict and its tests.
namespace highwater::predict::ghost {

/// Products: what it is made of, with the weights of attention. Flash and Efficient keep the logarithms of
/// their sums instead: one number for each query and head.
enum class AttentionKernel { Products, Flash, Efficient };

/// What the choice of a kernel depends on.
struct AttentionCall {
    Dims queries, keys, values;  ///< [N, heads, places, size]
    DType type = DType::Float32;
    bool lastStridesAreOne = true;
    bool causal = false;
    double dropout = 0;  ///< while training
    bool learns = true;  ///< whether a gradient is wanted
};

AttentionKernel attentionKernelCpu(memory::TorchVersion torch, const AttentionCall& call);
/// `architecture`: compute capability x 10.
AttentionKernel attentionKernelCuda(memory::TorchVersion torch, int architecture, const AttentionCall& call);

// --- for both
using Factors = std::array<Tensor, 3>;  ///< queries, keys, values
AttentionCall callOf(const stack::Merge& merge, const Factors& of, ForwardMode mode);
/// The kernel begins: `products` of the two that attention has are computed.
void beginAttention(Machine& machine, std::string_view label, const AttentionCall& call, double products);
/// A new tensor of these sizes [N, heads, places, size], of which places lie before heads.
Tensor placesFirst(Machine& machine, const Dims& dims, DType type);
bool liesPlacesFirst(const Tensor& of);
/// Passes on those that a node is to give.
void giveWanted(const Node& node, Factors& gradients, Gradients& out);
/// Softmax(scale q k^T) v, operator by operator. Where its result is to be of another type, the weights are
/// given in that too, which nobody reads.
Tensor attentionProducts(Machine& machine, const AttentionCall& call, const Factors& of, DType result);

Tensor attention(Machine& machine, const stack::Merge& merge, const Factors& of, ForwardMode mode);
Tensor attentionCuda(Machine& machine, const stack::Merge& merge, const Factors& of, ForwardMode mode);

}  // namespace highwater::predict::ghost
