#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "core/engine/device/torch_compat.h"

/// Creates autograd nodes with this LibTorch version's pointer type. Private to core/engine, for the few
/// files that define their own nodes.
namespace highwater::engine {

/// The pointer type that owns a node: std::shared_ptr; c10::intrusive_ptr in newer versions (2.15).
using NodePointer = decltype(torch::autograd::Edge::function);

template <class N, class... Arguments>
NodePointer makeNode(Arguments&&... arguments) {
    if constexpr (std::is_same_v<NodePointer, std::shared_ptr<torch::autograd::Node>>) {
        return std::make_shared<N>(std::forward<Arguments>(arguments)...);
    } else {
        return NodePointer(c10::make_intrusive<N>(std::forward<Arguments>(arguments)...));
    }
}

/// An owning pointer to an existing node.
template <class N>
NodePointer pointerTo(N& node) {
    if constexpr (std::is_same_v<NodePointer, std::shared_ptr<torch::autograd::Node>>) {
        return node.shared_from_this();
    } else {
        return NodePointer(c10::intrusive_ptr<N>::reclaim_copy(&node));
    }
}

/// The edge to a node's first input.
inline GraphEdge edgeTo(const NodePointer& node) {
    return {std::make_shared<NodePointer>(node), 0};
}

}  // namespace highwater::engine
