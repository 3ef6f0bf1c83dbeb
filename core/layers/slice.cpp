#include "core/layers/slice.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Slice>::rule(const Slice& op, const Shape& input, bool) {
    const int axes = static_cast<int>(input.size()), dim = op.dim < 0 ? op.dim + axes : op.dim;
    if (dim < 1 || dim >= axes) {
        return Error{fmt::format("dim {} of the input {} cannot be cut; give an axis from 1 to {}", op.dim,
                                 base::formatShape(input), axes - 1)};
    }
    const std::int64_t size = input[static_cast<std::size_t>(dim)];
    if (auto error = outside("step", op.step, 1, kMostSize)) {
        return *error;
    }
    if (op.start < 0 || op.start >= op.end || op.end > size) {
        return Error{
            fmt::format("start {} and end {} must lie within the {} of axis {}, with the end after the start",
                        op.start, op.end, base::counted(size, "place"), dim)};
    }
    Shape output = input;
    output[static_cast<std::size_t>(dim)] = (op.end - op.start + op.step - 1) / op.step;
    return LayerRule{std::move(output), 0};
}

std::int64_t About<Slice>::sizeAlong(const Slice& op, std::int64_t size, int dims, std::size_t axis) {
    if ((op.dim < 0 ? op.dim + dims + 2 : op.dim) != static_cast<int>(axis) + 2) {
        return size;
    }
    return op.end > size ? 0 : (op.end - op.start + op.step - 1) / op.step;
}

void About<Slice>::words(const Slice& op, Words& w) {
    w.add(fmt::format("places {} to {} of axis {}", op.start, op.end - 1, op.dim));
    w.addIf(op.step != 1, fmt::format("step {}", op.step));
}

}  // namespace highwater::stack
