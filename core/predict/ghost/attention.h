#pragma once

#include <array>

#include "core/predict/ghost/ops.h"

/// scaled_dot_product_attention: which kernel PyTorch uses, and what that kernel allocates and saves
/// (aten/src/ATen/native/transformers). Private to core/predict and its tests.
namespace highwater::predict::ghost {

/// Products: separate matrix products, which save the attention weights. Flash and Efficient save the
/// logarithms of their sums instead: one number for each query and head.
enum class AttentionKernel { Products, Flash, Efficient };

/// The inputs to the choice of a kernel.
struct AttentionCall {
    Dims queries, keys, values;  ///< [N, heads, positions, size]
    DType type = DType::Float32;
    bool lastStridesAreOne = true;
    bool causal = false;
    double dropout = 0;  ///< in training
    bool learns = true;  ///< whether a gradient is wanted
    bool masked = false, maskLearns = false;
};

AttentionKernel attentionKernelCpu(memory::TorchVersion torch, const AttentionCall& call);
/// `architecture`: compute capability x 10.
AttentionKernel attentionKernelCuda(memory::TorchVersion torch, int architecture, const AttentionCall& call);

// --- for both
using Factors = std::array<Tensor, 4>;  ///< queries, keys, values, and the mask or nullptr
inline constexpr std::size_t kMask = 3;
AttentionCall callOf(const stack::Merge& merge, const Factors& of, ForwardMode mode);
/// The kernel begins: attention's `products`, of two, are computed.
void beginAttention(Machine& machine, std::string_view label, const AttentionCall& call, double products);
/// A new tensor of sizes [N, heads, positions, size], with positions before heads in memory.
Tensor placesFirst(Machine& machine, const Dims& dims, DType type);
bool liesPlacesFirst(const Tensor& of);
/// Passes on the gradients that a node must return.
void giveWanted(const Node& node, Factors& gradients, Gradients& out);
/// Softmax(scale q k^T) v, operator by operator. If its result has another type, the weights are returned in
/// that type too, which is unused.
Tensor attentionProducts(Machine& machine, const AttentionCall& call, const Factors& of, DType result);

Tensor attention(Machine& machine, const stack::Merge& merge, const Factors& of, ForwardMode mode);
Tensor attentionCuda(Machine& machine, const stack::Merge& merge, const Factors& of, ForwardMode mode);

}  // namespace highwater::predict::ghost
