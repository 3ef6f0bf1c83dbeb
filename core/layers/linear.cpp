#include "core/layers/linear.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Linear>::rule(const Linear& op, const Shape& input, bool) {
    if (auto error = outside("out_features", op.outFeatures, 1, kMostSize)) {
        return *error;
    }
    const auto weights = weightCount({op.outFeatures, input.back()}, Sizes{1}, 0);
    if (!weights) {
        return weights.error();
    }
    Shape output = input;
    output.back() = op.outFeatures;
    return LayerRule{std::move(output), *weights + (op.bias ? op.outFeatures : 0)};
}

void About<Linear>::words(const Linear& op, Words& w) {
    w.addIf(!w.brief, base::counted(op.outFeatures, "feature"));
    w.addIf(!op.bias, "no bias");
}

}  // namespace highwater::stack
