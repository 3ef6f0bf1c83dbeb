#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/device/device.h"
#include "core/engine/run_request.h"
#include "core/stack/shapes.h"

/// Checks of a run's volumes before it begins. Plain C++. Private to core/engine.
namespace highwater::engine {

/// Error if the request's volumes do not fit its experiment: number of channels, sizes, values, labels. The
/// message names the field and, for a cohort, the case (counted from 1).
base::Status checkVolumes(const RunRequest& request, const stack::StackInfo& info);
/// Warnings for the user before the run (a patch larger than the scan, ...), one line each.
std::vector<std::string> dataWarnings(const RunRequest& request, const stack::StackInfo& info,
                                      const Device& device = {});

}  // namespace highwater::engine
