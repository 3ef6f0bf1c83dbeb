#pragma once

#include "app/engine/options.h"
#include "core/base/result.h"
#include "core/engine/run/runner.h"

namespace highwater::engine_app {

/// Makes the request from the experiment and its volumes. It maps the volumes and closes their descriptors. A
/// cohort's volumes come case by case: the channels, then the label map if the target is one. An Error is one
/// line.
base::Result<engine::RunRequest> makeRequest(const Options& options);

}  // namespace highwater::engine_app
