#pragma once

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

namespace highwater::engine {

/// Whether this version can run a valid experiment on the CPU. The error is one line that names the layer or
/// field and what would work instead.
base::Status checkSupported(const stack::Experiment& experiment, const stack::StackInfo& info);

}  // namespace highwater::engine
