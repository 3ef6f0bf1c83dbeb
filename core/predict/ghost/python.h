#pragma once

#include <vector>

#include "core/predict/ghost/ops.h"

/// What the program that core/stack/export writes does otherwise than the engine (Target::inPython). Private
/// to core/predict.
namespace highwater::predict::ghost {

/// criterion(): the loss of each output, weighed and summed where there are several. `target` is the batch's,
/// as it came: each output's is cut to its size here, and classes become probabilities where `softClasses`
/// says for how many (0: they stay). Null for a loss without a target.
Tensor criterion(Machine&, stack::Loss, const std::vector<Tensor>& outputs, const Tensor& target,
                 std::int64_t softClasses);

}  // namespace highwater::predict::ghost
