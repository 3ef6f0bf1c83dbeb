#pragma once

#include <optional>

#include "core/stack/pytorch/values.h"

/// Imports torch.nn.MultiheadAttention as self-attention of one tensor. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

/// Handles all calls of the module, starting with `first`; returns the index of the first call after it.
/// std::nullopt if it is of another kind: with several tensors, a mask, or its weights as a second output.
/// Remaining state is then unchanged. `low`: it is trained in fp16 or bf16.
std::optional<std::size_t> multiheadAttention(const Graph& graph, Values& values, std::size_t first,
                                              bool low);

}  // namespace highwater::stack::pytorch
