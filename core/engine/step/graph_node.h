#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <type_traits>
#include <utility>

/// How autograd's graph holds its nodes in this release of LibTorch. Private to core/engine, for the few
/// files that make nodes of their own.
namespace highwater::engine {

/// A shared_ptr, and an intrusive_ptr in newer releases (2.15).
using NodePointer = decltype(torch::autograd::Edge::function);

template <class N, class... Arguments>
NodePointer makeNode(Arguments&&... arguments) {
    if constexpr (std::is_same_v<NodePointer, std::shared_ptr<torch::autograd::Node>>) {
        return std::make_shared<N>(std::forward<Arguments>(arguments)...);
    } else {
        return NodePointer(c10::make_intrusive<N>(std::forward<Arguments>(arguments)...));
    }
}

/// A node as those who hold it do.
template <class N>
NodePointer pointerTo(N& node) {
    if constexpr (std::is_same_v<NodePointer, std::shared_ptr<torch::autograd::Node>>) {
        return node.shared_from_this();
    } else {
        return NodePointer(c10::intrusive_ptr<N>::reclaim_copy(&node));
    }
}

}  // namespace highwater::engine
