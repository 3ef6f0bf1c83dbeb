#pragma once

#include <optional>
#include <string>

#include "core/stack/pytorch/values.h"

/// Layers that read nothing: what a network computes of parameters and constants alone, by several operators.
/// Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

struct Source {
    base::Json layer;
    Shape shape;            ///< of the layer's output; the call's has fewer axes of one element
    std::string parameter;  ///< empty if it has none
};

/// The layer that ends with this call, which reads no activation: a relative_position_bias or a window_mask
/// as MONAI and torchvision compute them. std::nullopt for all other calls.
std::optional<Source> sourceEndingWith(const Graph& graph, const Values& values, const Call& call);

}  // namespace highwater::stack::pytorch
