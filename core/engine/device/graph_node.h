#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "core/engine/device/torch_compat.h"

/// Creates autograd nodes as this version of LibTorch holds them. Private to core/engine, for the few files
/// that define nodes of their own.
namespace highwater::engine {

/// The pointer that holds a node: a std::shared_ptr; a c10::intrusive_ptr in newer versions (2.15).
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
