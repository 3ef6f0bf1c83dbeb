#include "core/layers/head.h"

#include <fmt/format.h>

#include <cmath>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Head>::rule(const Head& op, const Shape& input, bool) {
    if (auto error = outside("out_channels", op.outChannels, 1, kMostSize)) {
        return *error;
    }
    if (!(op.weight >= 0 && std::isfinite(op.weight))) {
        return Error{fmt::format("weight must be a number of at least 0, not {}", op.weight)};
    }
    const auto weights = weightCount({op.outChannels, input[1]}, Sizes{1}, dimsOf(input));
    if (!weights) {
        return weights.error();
    }
    Shape output = input;
    output[1] = op.outChannels;
    return LayerRule{std::move(output), *weights + (op.bias ? op.outChannels : 0)};
}

void About<Head>::words(const Head& op, Words& w) {
    w.addIf(!w.brief, fmt::format("{} channels", op.outChannels));
    w.add(fmt::format("weight {:g}", op.weight));
    w.addIf(!w.brief && !op.bias, "no bias");
}

}  // namespace highwater::stack
