#pragma once

#include "core/stack/pytorch/values.h"

/// Views of a tensor, one on top of the other. A view that no layer is, such as one that moves the batch to
/// another axis, may become one by what follows; only where it is read it is refused. Private to
/// core/stack/pytorch.
namespace highwater::stack::pytorch {

/// In another shape. Views that only change the shape are one. `whole`: here and below the cell's shape.
Activation reshaped(Activation held, const Shape& whole, Shape shape);
/// Output axis i is axis dims[i], each from 0 to the number of axes.
Activation permuted(Activation held, const Shape& whole, const std::vector<std::int64_t>& dims);
/// One place of an axis.
Activation selected(Activation held, const Shape& whole, std::size_t dim, std::int64_t index);
/// `size` places of an axis, from `start` on, each `step` behind the one before.
struct Cut {
    std::int64_t axis = 0, start = 0, size = 1, step = 1;
};
Activation cut(Activation held, const Cut& part);

}  // namespace highwater::stack::pytorch
