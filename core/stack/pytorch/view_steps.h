#pragma once

#include "core/stack/pytorch/values.h"

/// Nested views of a tensor. A view that is not a layer, such as one that moves the batch to another axis,
/// may become one together with later views; it is refused only when it is read. Private to
/// core/stack/pytorch.
namespace highwater::stack::pytorch {

/// Reshapes. Views that only change the shape are merged into one. `whole`: here and below the cell's shape.
Activation reshaped(Activation held, const Shape& whole, Shape shape);
/// Output axis i is axis dims[i], each from 0 to the number of axes.
Activation permuted(Activation held, const Shape& whole, const std::vector<std::int64_t>& dims);
/// One index of an axis.
Activation selected(Activation held, const Shape& whole, std::size_t dim, std::int64_t index);
/// `size` indices of an axis, from `start` on, `step` apart.
struct Cut {
    std::int64_t axis = 0, start = 0, size = 1, step = 1;
};
Activation cut(Activation held, const Cut& part);
/// Axes of one element repeated, up to these sizes.
Activation expanded(Activation held, Shape shape);

}  // namespace highwater::stack::pytorch
