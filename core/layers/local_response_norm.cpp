#include "core/layers/local_response_norm.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<LocalResponseNorm>::rule(const LocalResponseNorm& op, const Shape& input, bool) {
    if (auto error = outside("size", op.size, 1, kMostExtent)) {
        return *error;
    }
    return LayerRule{input, 0};
}

void About<LocalResponseNorm>::words(const LocalResponseNorm& op, Words& w) {
    const LocalResponseNorm usual;
    w.add("over " + base::counted(op.size, "channel"));
    w.addIf(!w.brief && op.alpha != usual.alpha, fmt::format("alpha {}", op.alpha));
    w.addIf(!w.brief && op.beta != usual.beta, fmt::format("beta {}", op.beta));
    w.addIf(!w.brief && op.k != usual.k, fmt::format("k {}", op.k));
}

python::Module About<LocalResponseNorm>::module(const LocalResponseNorm& op, const python::Place&) {
    const LocalResponseNorm usual;
    return python::Module{"nn.LocalResponseNorm", {python::literal(op.size)}}
        .add("alpha", op.alpha, usual.alpha)
        .add("beta", op.beta, usual.beta)
        .add("k", op.k, usual.k);
}

}  // namespace highwater::stack
