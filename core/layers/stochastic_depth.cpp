#include "core/layers/stochastic_depth.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<StochasticDepth>::rule(const StochasticDepth& op, const Shape& input, bool) {
    if (auto error = checkProbability(op.p)) {
        return *error;
    }
    return LayerRule{input, 0};
}

void About<StochasticDepth>::words(const StochasticDepth& op, Words& w) {
    w.add(fmt::format("p {}", op.p));
    w.addIf(op.mode == StochasticDepth::Mode::Batch, w.brief ? "batch" : "whole batch");
    w.addIf(!w.brief && !op.scaleByKeep, "not scaled");
}

python::Module About<StochasticDepth>::module(const StochasticDepth& op, const python::Place&) {
    python::Module made{"StochasticDepth", {python::literal(op.p)}};
    if (op.mode == StochasticDepth::Mode::Batch) {
        made.add("\"batch\"");
    }
    return made.add("scale_by_keep", op.scaleByKeep, true);
}

}  // namespace highwater::stack
