#pragma once

#include <QString>
#include <optional>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

/// Parses a patch for that experiment: one number for all axes, or one for each axis.
base::Result<stack::Sizes> parsePatch(const QString& text, const stack::Experiment& experiment);
/// The patch enlarged (or reduced) by `by` steps along all axes alike. A step is 8 voxels, or the smallest
/// multiple of 8 (up to 16 times 8) that the stack accepts; 8 if it accepts none of them.
stack::Sizes steppedPatch(const stack::Experiment& experiment, stack::Sizes patch, int by);

/// Parses "2.2 GiB", "512M". Empty text means no budget.
base::Result<std::optional<base::Bytes>> parseBudget(const QString& text);
QString budgetText(const std::optional<base::Bytes>& budget);

}  // namespace highwater::desktop
