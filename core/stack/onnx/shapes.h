#pragma once

#include "core/stack/onnx/op.h"

/// The sizes that operators make, as the ONNX standard says (Operators.md); nothing where it cannot be said.
/// Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Whether a tensor may have these sizes.
bool isShape(const Shape& shape);
/// Of two tensors, as numpy does it.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

std::optional<Shape> reshaped(Op& op);
std::optional<Shape> flattened(Op& op);
std::optional<Shape> squeezed(Op& op);
std::optional<Shape> unsqueezed(Op& op);
/// Of Transpose: which axis comes where.
std::optional<Whole> orderOf(Op& op, std::size_t axes);

/// What Slice takes of an axis.
struct Cut {
    std::int64_t start = 0, size = 0, step = 1;
};
/// One an axis.
std::optional<std::vector<Cut>> cutsOf(Op& op);

/// How a window goes over the spatial axes.
struct Window {
    Whole kernel, stride, dilation;
    Whole before, after;  ///< padding
    bool even() const { return before == after; }
};
/// With auto_pad made plain; refuses and gives nothing where a list has not one number an axis, or an extent
/// is beyond kMostExtent.
std::optional<Window> windowOf(Op& op, const Whole& kernel);
/// Sizes of a convolution or pooling; nothing where the window is larger than the tensor.
std::optional<Shape> slid(const Shape& input, std::int64_t channels, const Window& window, bool ceil);

}  // namespace highwater::stack::onnx
