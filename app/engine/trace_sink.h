#pragma once

#include <filesystem>

#include "core/engine/runner.h"

namespace highwater::engine_app {

/// Writes the run's trace.db into the folder, made with the first part of the trace and whole with the last.
engine::TraceSink traceInto(const std::filesystem::path& runFolder, const stack::Experiment& experiment);

}  // namespace highwater::engine_app
