#include "core/layers/roll.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Roll>::rule(const Roll& op, const Shape& input, bool) {
    const bool paired = !op.dims.empty() && op.dims.size() == op.shifts.size();
    if (!paired || op.dims.size() > static_cast<std::size_t>(kMostAxes)) {
        return Error{fmt::format("shifts has {} and dims {}; give one shift for each axis",
                                 base::counted(std::ssize(op.shifts), "number"), std::ssize(op.dims))};
    }
    for (const std::int64_t dim : op.dims) {
        if (auto error = outside("dims: each axis", dim, 1, std::ssize(input) - 1)) {
            return *error;
        }
    }
    return LayerRule{input, 0};
}

}  // namespace highwater::stack
