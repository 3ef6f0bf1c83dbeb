#include "core/layers/select.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Select>::rule(const Select& op, const Shape& input, bool) {
    const int axes = static_cast<int>(input.size()), dim = op.dim < 0 ? op.dim + axes : op.dim;
    if (dim < 1 || dim >= axes || axes < 3) {
        return Error{fmt::format("dim {} of the input {} cannot be removed; give an axis from 1 to {}",
                                 op.dim, base::formatShape(input), axes - 1)};
    }
    const auto at = static_cast<std::size_t>(dim);
    if (auto error = outside("index", op.index, 0, input[at] - 1)) {
        return *error;
    }
    Shape output = input;
    output.erase(output.begin() + dim);
    return LayerRule{std::move(output), 0};
}

void About<Select>::words(const Select& op, Words& w) {
    w.add(fmt::format("index {} of axis {}", op.index, op.dim));
}

}  // namespace highwater::stack
