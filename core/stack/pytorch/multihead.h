#pragma once

#include <optional>

#include "core/stack/pytorch/values.h"

/// torch.nn.MultiheadAttention of one tensor with itself. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

/// Takes all calls of the module, of which `first` is the first; returns the index of the first behind it.
/// std::nullopt where it is of another kind: of several tensors, with a mask, or with its weights as a second
/// output. Nothing that remains is then changed. `low`: it is trained in fp16 or bf16.
std::optional<std::size_t> multiheadAttention(const Graph& graph, Values& values, std::size_t first,
                                              bool low);

}  // namespace highwater::stack::pytorch
