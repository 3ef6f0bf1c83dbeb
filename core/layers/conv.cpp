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
    const std::int64_t vectors = (op.bias ? 1 : 0) + (op.standardize == Conv::Standardize::Scaled ? 1 : 0);
    return LayerRule{std::move(*output), *weights + vectors * op.outChannels};
}

void About<Conv>::words(const Conv& op, Words& w) {
    convWords(op, w);
    w.addIf(!w.brief && op.standardize != Conv::Standardize::None, op.standardize == Conv::Standardize::Scaled
                                                                       ? "scaled standardized weights"
                                                                       : "standardized weights");
}

python::Module About<Conv>::module(const Conv& op, const python::Place& at) {
    python::Module made = convolutionModule(op, at.channels, op.outChannels, op.groups, at.dims);
    if (op.standardize == Conv::Standardize::None) {
        return made;
    }
    made.arguments.insert(made.arguments.begin(), made.name);
    made.name = "StandardizedConv";
    return made.add("scaled", op.standardize == Conv::Standardize::Scaled, false);
}

bool About<Conv>::resumable(const Conv& op) {
    if (op.paddingMode != PaddingMode::Zeros || op.standardize != Conv::Standardize::None) {
        return false;
    }
    // "same" with an odd number of added elements first pads a copy.
    const auto even = [](std::int64_t size) { return size % 2 == 0; };
    return !op.padding.same || std::none_of(op.kernelSize.begin(), op.kernelSize.end(), even);
}

}  // namespace highwater::stack
