#include "core/layers/softmax.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Softmax>::rule(const Softmax& op, const Shape& input, bool) {
    const int axes = static_cast<int>(input.size());
    const int dim = op.dim < 0 ? op.dim + axes : op.dim;
    if (dim < 1 || dim >= axes) {
        return Error{fmt::format(
            "dim {} is {}; use 1 (the channels) to {}", op.dim,
            dim == 0 ? "the batch, whose samples are independent" : "not an axis of the input", axes - 1)};
    }
    return LayerRule{input, 0};
}

}  // namespace highwater::stack
