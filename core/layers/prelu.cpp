#include "core/layers/prelu.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Prelu>::rule(const Prelu& op, const Shape& input, bool) {
    if (op.numParameters != 1 && op.numParameters != input[1]) {
        return Error{fmt::format("num_parameters {} must be 1 or as many as the {}", op.numParameters,
                                 base::counted(input[1], "input channel"))};
    }
    return LayerRule{input, op.numParameters};
}

void About<Prelu>::words(const Prelu& op, Words& w) {
    w.addIf(!w.brief || op.numParameters > 1, base::counted(op.numParameters, "slope"));
}

}  // namespace highwater::stack
