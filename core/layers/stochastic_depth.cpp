#include "core/layers/stochastic_depth.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

constexpr std::string_view kStochasticDepth = R"(class StochasticDepth(nn.Module):
    """Sets samples to zero, or the whole batch (arXiv 1603.09382)."""

    def __init__(self, p, mode="row", scale_by_keep=True):
        super().__init__()
        self.p, self.mode, self.scale_by_keep = p, mode, scale_by_keep

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        samples = x.shape[0] if self.mode == "row" else 1
        noise = x.new_empty([samples] + [1] * (x.dim() - 1)).bernoulli_(1 - self.p)
        if self.scale_by_keep and self.p < 1:
            noise.div_(1 - self.p)
        return x * noise
)";

}  // namespace

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

std::vector<python::Source<StochasticDepth>> About<StochasticDepth>::sources() {
    return {{kStochasticDepth}};
}

}  // namespace highwater::stack
