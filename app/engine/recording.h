#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/run/runner.h"
#include "core/wire/events.h"

namespace highwater::engine_app {

/// Functions that record a run.
struct Recording {
    std::function<base::Status(const wire::Event&, const std::string& line)> append;
    std::function<base::Status(const wire::RunResult&)> finish;  ///< the result is on disk when it returns
};

/// Opens a run's folder. Error if there is no such run, or it has ended.
base::Result<Recording> recordInto(const std::filesystem::path& runFolder);
/// A sink that writes the run's trace.db: it creates the file with the first chunk of the trace, and marks it
/// as complete after the last one. Empty in a build without SQLite (HIGHWATER_MINIMAL): trace_absent.cpp.
engine::TraceSink traceInto(const std::filesystem::path& runFolder, const stack::Experiment& experiment);
/// A sink that writes trace.chunks (core/memory/trace_record.h), which needs no SQLite.
engine::TraceSink traceChunksInto(const std::filesystem::path& runFolder,
                                  const stack::Experiment& experiment);

/// The names of the layers, by the numbers used in a trace's events.
std::vector<std::string> layerNames(const stack::Experiment& experiment);

}  // namespace highwater::engine_app
