#include "core/layers/conv.h"

#include <algorithm>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Conv>::rule(const Conv& op, const Shape& input, bool) {
    auto output = slide({op.dims, op.kernelSize, op.stride, op.dilation, op.padding, op.paddingMode}, input,
                        op.outChannels);
    if (!output) {
        return output.error();
    }
    if (auto error = checkGroups(op.groups, input[1], op.outChannels)) {
        return *error;
    }
    const auto weights = weightCount({op.outChannels, input[1] / op.groups}, op.kernelSize, dimsOf(input));
    if (!weights) {
        return weights.error();
    }
    return LayerRule{std::move(*output), *weights + (op.bias ? op.outChannels : 0)};
}

bool About<Conv>::resumable(const Conv& op) {
    if (op.paddingMode != PaddingMode::Zeros) {
        return false;
    }
    // "same" with an odd number of added elements first pads a copy.
    const auto even = [](std::int64_t size) { return size % 2 == 0; };
    return !op.padding.same || std::none_of(op.kernelSize.begin(), op.kernelSize.end(), even);
}

}  // namespace highwater::stack
