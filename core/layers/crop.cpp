#include "core/layers/crop.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Crop>::rule(const Crop& op, const Shape& input, bool) {
    const int dims = dimsOf(input);
    const auto start = perAxis(op.start, dims, "start", 0, kMostSize);
    if (!start) {
        return start.error();
    }
    const auto size = perAxis(op.size, dims, "size", 1, kMostSize);
    if (!size) {
        return size.error();
    }
    Shape output = {input[0], input[1]};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if ((*start)[a] + (*size)[a] > input[a + 2]) {
            return Error{fmt::format("size {} from start {} along {} exceeds the input of {}", (*size)[a],
                                     (*start)[a], axisName(dims, axis), input[a + 2])};
        }
        output.push_back((*size)[a]);
    }
    return LayerRule{std::move(output), 0};
}

void About<Crop>::words(const Crop& op, Words& w) {
    w.add(w.brief ? powerText(op.size, w.dims) : equalSizesText(op.size));
    w.add("from " + (w.brief ? sizesText(op.start) : equalSizesText(op.start)));
}

python::Module About<Crop>::module(const Crop& op, const python::Place& at) {
    const auto each = [&at](const Sizes& values) {
        return values.size() == 1 ? Sizes(static_cast<std::size_t>(at.dims), values.front()) : values;
    };
    return {"Crop", {python::tuple(each(op.start)), python::tuple(each(op.size))}};
}

}  // namespace highwater::stack
