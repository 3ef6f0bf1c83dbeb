#include "core/layers/inplace_abn.h"

#include <fmt/format.h>

#include "core/layers/rules.h"
#include "texts/layers_texts.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<InplaceAbn>::rule(const InplaceAbn& op, const Shape& input, bool train) {
    if (!(op.negativeSlope > 0)) {
        return Error{"negative_slope must be above 0: only then can the activation be inverted"};
    }
    if (train) {
        if (auto error = checkStatistics(input, input[0], "batch and spatial size 1")) {
            return *error;
        }
    }
    return LayerRule{input, 2 * input[1]};
}

void About<InplaceAbn>::words(const InplaceAbn& op, Words& w) {
    const bool leaky = op.activation == InplaceAbn::Function::LeakyRelu;
    w.add(std::string(wordOf(activations, op.activation)) +
          (leaky && !w.brief ? fmt::format(", slope {}", op.negativeSlope) : ""));
    w.addIf(!w.brief && op.eps != InplaceAbn().eps, fmt::format("eps {}", op.eps));
}

python::Module About<InplaceAbn>::module(const InplaceAbn& op, const python::Place& at) {
    python::Module made{"InPlaceABN", {python::literal(at.channels)}};
    made.add("eps", op.eps, InplaceAbn().eps);
    if (op.activation == InplaceAbn::Function::Elu) {
        made.add("activation=\"elu\"");
    } else {
        made.add("negative_slope", op.negativeSlope, InplaceAbn().negativeSlope);
    }
    return made.addMomentum(at.runs);
}

std::vector<python::Source<InplaceAbn>> About<InplaceAbn>::sources() {
    return {{texts::inplace_abn}};
}

}  // namespace highwater::stack
