#pragma once

#include <vector>

#include "core/predict/ghost/ops.h"

/// The operations in which the program that core/stack/export writes differs from the engine
/// (Target::inPython). Private to core/predict.
namespace highwater::predict::ghost {

/// criterion(): the loss of each output, weighted and summed if there are several. `target` is the batch's,
/// unchanged: it is resampled to each output's size here, and classes become probabilities for `softClasses`
/// classes (0: they stay classes). Null for a loss without a target.
Tensor criterion(Machine&, stack::Loss, const std::vector<Tensor>& outputs, const Tensor& target,
                 std::int64_t softClasses);

}  // namespace highwater::predict::ghost
