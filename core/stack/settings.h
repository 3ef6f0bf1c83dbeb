#pragma once

#include <optional>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// What must fit beside the layers. Private to core/stack.
namespace highwater::stack {

/// The loss against the stack's output and the target.
std::optional<base::Error> checkLoss(const Experiment& experiment, const StackInfo& info);
bool wantsClasses(Loss loss);

/// Windows whose outputs are to be blended (not training) against the stack's output.
std::optional<base::Error> checkWindows(const Experiment& experiment, const StackInfo& info);

/// Optimizer and step values that no run can have, however they came about.
std::optional<base::Error> checkSettings(const Experiment& experiment);

/// The first augmentation that no run can have, against the data.
std::optional<base::Error> checkAugmentations(const Experiment& experiment, const StackInfo& info);

base::Bytes elementBytes(Precision precision);

}  // namespace highwater::stack
