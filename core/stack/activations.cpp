#include "core/stack/activations.h"

#include <array>

namespace highwater::stack {

const ActivationFacts& factsOf(Activation::Kind kind) {
    static constexpr std::array<ActivationFacts, 11> kFacts = {{
        {"relu", true, Kept::Result, Kept::Result},
        {"leaky_relu", true, Kept::Input, Kept::Result},
        {"elu", true, Kept::Input, Kept::Result},
        {"gelu", false},
        {"silu", true},
        {"sigmoid", false, Kept::Result},
        {"tanh", false, Kept::Result},
        {"relu6", true},
        {"hardswish", true},
        {"hardsigmoid", true},
        {"mish", true},
    }};
    return kFacts[static_cast<std::size_t>(kind)];
}

Kept keptBy(const Activation& activation) {
    const ActivationFacts& facts = factsOf(activation.kind);
    return activation.inplace && facts.hasInplaceForm ? facts.keptInPlace : facts.kept;
}

}  // namespace highwater::stack
