#include "core/layers/layer_norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<LayerNorm>::rule(const LayerNorm& op, const Shape& input, bool) {
    const Shape& shape = op.normalizedShape;
    const bool fits = !shape.empty() && shape.size() < input.size() &&
                      std::equal(shape.rbegin(), shape.rend(), input.rbegin());
    if (!fits) {
        return Error{
            fmt::format("normalized_shape {} is not how its input {} ends; give {}, or fewer of them from "
                        "the end",
                        base::formatShape(shape), base::formatShape(input),
                        base::formatShape(std::span(input).subspan(1)))};
    }
    const auto weights = weightCount({}, shape, static_cast<int>(shape.size()));
    if (!weights) {
        return weights.error();
    }
    return LayerRule{input, op.affine ? 2 * *weights : 0};
}

void About<LayerNorm>::words(const LayerNorm& op, Words& w) {
    w.add("over " + sizesText(op.normalizedShape));
    w.addIf(!w.brief && !op.affine, "not affine");
    epsWords(op.eps, w);
}

python::Module About<LayerNorm>::module(const LayerNorm& op, const python::Place&) {
    return python::Module{"nn.LayerNorm", {python::tuple(op.normalizedShape)}}
        .add("eps", op.eps, LayerNorm().eps)
        .add("elementwise_affine", op.affine, true);
}

}  // namespace highwater::stack
