#include "core/layers/adaptive_pool.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<AdaptivePool>::rule(const AdaptivePool& op, const Shape& input, bool) {
    const auto size = perAxis(op.outputSize, dimsOf(input), "output_size", 1, kMostSize);
    if (!size) {
        return size.error();
    }
    Shape output = {input[0], input[1]};
    output.insert(output.end(), size->begin(), size->begin() + dimsOf(input));
    return LayerRule{std::move(output), 0};
}

void About<AdaptivePool>::words(const AdaptivePool& op, Words& w) {
    w.add("to " + (w.brief ? powerText(op.outputSize, w.dims) : equalSizesText(op.outputSize)));
}

}  // namespace highwater::stack
