#include "core/layers/dropout.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Dropout>::rule(const Dropout& op, const Shape& input, bool) {
    if (auto error = checkProbability(op.p)) {
        return *error;
    }
    return LayerRule{input, 0};
}

void About<Dropout>::words(const Dropout& op, Words& w) {
    w.add(fmt::format("p {}", op.p));
    w.addIf(op.feature, w.brief ? "channels" : "whole channels");
}

}  // namespace highwater::stack
