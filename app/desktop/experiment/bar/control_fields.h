#pragma once

#include <QString>
#include <optional>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

/// Reads a patch for that experiment: one number for all axes, or as many as it has.
base::Result<stack::Sizes> parsePatch(const QString& text, const stack::Experiment& experiment);
/// The patch made larger (or smaller) by `by` steps, all axes alike. A step is 8 voxels, or the smallest
/// multiple of 8 (up to 16 times 8) that the stack accepts; 8 if it accepts none of them.
stack::Sizes steppedPatch(const stack::Experiment& experiment, stack::Sizes patch, int by);

/// Reads "2.2 GiB", "512M". Empty text stands for no budget.
base::Result<std::optional<base::Bytes>> parseBudget(const QString& text);
QString budgetText(const std::optional<base::Bytes>& budget);

}  // namespace highwater::desktop
