#pragma once

#include "app/engine/options.h"
#include "core/base/result.h"
#include "core/engine/run/runner.h"

namespace highwater::engine_app {

/// The experiment and its volumes, which it takes over: the descriptors are closed. A cohort's come case by
/// case, each its channels and then its label map where the target is one. Errors are one line.
base::Result<engine::RunRequest> makeRequest(const Options& options);

}  // namespace highwater::engine_app
