#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/stack/shapes.h"

/// What must be right about a run's volumes before it begins. Plain C++. Private to core/engine.
namespace highwater::engine {

/// Whether the request's volumes are what its experiment needs; errors name the field, and the case where
/// there are several (the first is 1).
base::Status checkVolumes(const RunRequest& request, const stack::StackInfo& info);
/// What a user should know before the run (a patch larger than the scan, ...).
std::vector<std::string> dataWarnings(const RunRequest& request, const stack::StackInfo& info,
                                      const Device& device = {});

}  // namespace highwater::engine
