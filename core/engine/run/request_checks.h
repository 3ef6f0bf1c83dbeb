#pragma once

#include "core/base/result.h"
#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/stack/shapes.h"

namespace highwater::engine {

/// Error, one line, if a request cannot be run on the device. `info` is the result of inferShapes for it.
base::Status checkRequest(const RunRequest& request, const stack::StackInfo& info, const Device& device);

}  // namespace highwater::engine
