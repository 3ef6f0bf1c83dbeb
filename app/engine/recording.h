#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/engine/run/runner.h"
#include "core/wire/events.h"

namespace highwater::engine_app {

/// Where a run is written down; recording.cpp is the run store's, recording_absent.cpp that of a build
/// without it (HIGHWATER_MINIMAL).
struct Recording {
    std::function<base::Status(const wire::Event&, const std::string& line)> append;
    std::function<base::Status(const wire::RunResult&)> finish;  ///< on disk when it returns
};

/// Opens a run's folder. Errors: no such run, one that has ended; a build without the run store.
base::Result<Recording> recordInto(const std::filesystem::path& runFolder);
/// Writes the run's trace.db into the folder, made with the first part of the trace and whole with the last.
engine::TraceSink traceInto(const std::filesystem::path& runFolder, const stack::Experiment& experiment);

}  // namespace highwater::engine_app
