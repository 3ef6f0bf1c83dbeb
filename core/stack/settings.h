#pragma once

#include <optional>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// Checks of everything except the layers. Private to core/stack.
namespace highwater::stack {

/// Checks the loss against the stack's output and the target.
std::optional<base::Error> checkLoss(const Experiment& experiment, const StackInfo& info);

/// Checks windows whose outputs are to be blended (when not training) against the stack's output.
std::optional<base::Error> checkWindows(const Experiment& experiment, const StackInfo& info);

/// Refuses invalid values of the optimizer and the step.
std::optional<base::Error> checkSettings(const Experiment& experiment);

/// Refuses the first augmentation that is not possible with the data.
std::optional<base::Error> checkAugmentations(const Experiment& experiment, const StackInfo& info);

}  // namespace highwater::stack
