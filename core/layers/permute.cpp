#include "core/layers/permute.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Permute>::rule(const Permute& op, const Shape& input, bool) {
    Sizes sorted = op.dims;
    std::sort(sorted.begin(), sorted.end());
    bool each = sorted.size() == input.size() && !op.dims.empty() && op.dims.front() == 0;
    for (std::size_t i = 0; each && i < sorted.size(); ++i) {
        each = sorted[i] == static_cast<std::int64_t>(i);
    }
    if (!each) {
        return Error{fmt::format(
            "dims must hold each axis of the input {} once, from 0 to {}, and begin with 0, the batch",
            base::formatShape(input), input.size() - 1)};
    }
    Shape output;
    for (const std::int64_t from : op.dims) {
        output.push_back(input[static_cast<std::size_t>(from)]);
    }
    return LayerRule{std::move(output), 0};
}

}  // namespace highwater::stack
