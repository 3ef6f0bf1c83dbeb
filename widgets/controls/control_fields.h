#pragma once

#include <QString>
#include <optional>

#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::widgets {

/// Reads a patch for that experiment: one number for all axes, or as many as it has.
base::Result<stack::Sizes> parsePatch(const QString& text, const stack::Experiment& experiment);
/// The patch `by` steps larger or smaller, all axes alike: a step is 8 voxels, or as many times 8 (up to 16)
/// as the stack needs to accept it; 8 where it accepts none of them.
stack::Sizes steppedPatch(const stack::Experiment& experiment, stack::Sizes patch, int by);

/// "2.2 GiB", "512M"; empty text for none.
base::Result<std::optional<base::Bytes>> parseBudget(const QString& text);
QString budgetText(const std::optional<base::Bytes>& budget);

}  // namespace highwater::widgets
