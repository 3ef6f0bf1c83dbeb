#pragma once

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

/// Checks whether this version's engine can run a valid experiment, on a GPU (`cuda`) or on the CPU. The
/// error is one line that names the layer or field and what would work instead.
base::Status checkSupported(const Experiment& experiment, const StackInfo& info, bool cuda);

}  // namespace highwater::stack
