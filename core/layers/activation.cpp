#include "core/layers/activation.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Kept keptBy(const Activation& activation) {
    const ActivationFacts& facts = factsOf(activation.kind);
    return activation.inplace && facts.hasInplaceForm ? facts.keptInPlace : facts.kept;
}

Result<LayerRule> About<Activation>::rule(const Activation& op, const Shape& input, bool) {
    if (op.inplace && !factsOf(op.kind).hasInplaceForm) {
        return Error{"has no in-place form; set inplace to false"};
    }
    if (op.kind == Activation::Kind::LeakyRelu && op.inplace && op.negativeSlope < 0) {
        return Error{"in place needs a negative_slope of at least 0; set inplace to false"};
    }
    if (op.kind == Activation::Kind::Hardtanh && !(op.low < op.high)) {
        return Error{fmt::format("min_val {} must be below max_val {}", op.low, op.high)};
    }
    return LayerRule{input, 0};
}

void About<Activation>::words(const Activation& op, Words& w) {
    w.addIf(!w.brief && op.kind == Activation::Kind::LeakyRelu, fmt::format("slope {}", op.negativeSlope));
    w.addIf(!w.brief && op.kind == Activation::Kind::Hardtanh, fmt::format("{} to {}", op.low, op.high));
    w.addIf(!w.brief && op.kind == Activation::Kind::ClampMin, fmt::format("from {}", op.low));
    w.addIf(op.inplace, "in place");
}

python::Module About<Activation>::module(const Activation& op, const python::Place&) {
    python::Module made{factsOf(op.kind).module};
    if (op.kind == Activation::Kind::LeakyRelu) {
        made.add(python::literal(op.negativeSlope));
    }
    if (op.kind == Activation::Kind::Hardtanh) {
        made.add(python::literal(op.low)).add(python::literal(op.high));
    }
    if (op.kind == Activation::Kind::ClampMin) {
        made.add(python::literal(op.low));
    }
    return factsOf(op.kind).hasInplaceForm ? made.add("inplace", op.inplace, false) : made;
}

}  // namespace highwater::stack
