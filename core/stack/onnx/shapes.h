#pragma once

#include "core/stack/onnx/op.h"

/// The output sizes of operators, according to the ONNX standard (Operators.md); std::nullopt if unknown.
/// Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Whether a tensor may have these sizes.
bool isShape(const Shape& shape);
/// Broadcasts two shapes, as in numpy.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

std::optional<Shape> reshaped(Op& op);
std::optional<Shape> flattened(Op& op);
std::optional<Shape> squeezed(Op& op);
std::optional<Shape> unsqueezed(Op& op);
/// For Transpose: the order of the axes.
std::optional<Whole> orderOf(Op& op, std::size_t axes);

/// The range that Slice takes of an axis.
struct Cut {
    std::int64_t start = 0, size = 0, step = 1;
};
/// One for each axis.
std::optional<std::vector<Cut>> cutsOf(Op& op);

/// The movement of a window over the spatial axes.
struct Window {
    Whole kernel, stride, dilation;
    Whole before, after;  ///< padding
    bool even() const { return before == after; }
};
/// With auto_pad resolved; refuses and returns std::nullopt if a list does not have one number per axis, or
/// an extent is beyond kMostExtent.
std::optional<Window> windowOf(Op& op, const Whole& kernel);
/// Sizes of a convolution or pooling; std::nullopt if the window is larger than the tensor.
std::optional<Shape> slid(const Shape& input, std::int64_t channels, const Window& window, bool ceil);

}  // namespace highwater::stack::onnx
