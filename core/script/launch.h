#pragma once

#include <filesystem>
#include <string>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/wire/script_source.h"

namespace highwater::script {

/// The interpreter for a script: `given`, which may be the folder of a virtual environment; else the active
/// environment ($VIRTUAL_ENV or $CONDA_PREFIX), else .venv or venv beside the script or in the current
/// folder, else python3 on PATH. Error, one line: there is none, or what was given is none.
base::Result<std::filesystem::path> findPython(const std::filesystem::path& given,
                                               const std::filesystem::path& script);

/// The script's file: as given, or, where that is none, a command that the interpreter's environment has
/// ("nnUNetv2_train"). Error: there is no such file.
base::Result<std::filesystem::path> findScript(const std::string& given, const std::filesystem::path& python);

/// How the script is started: the interpreter with run_script.py, on a pretended GPU. Its standard output are
/// the engine's events (core/wire/events.h); the script's own output goes to the descriptors `output` and
/// `errors`, which stay open under their numbers (above 2). Error: a part of the installation is missing, or
/// as findPython(), findScript().
base::Result<base::Launch> scriptLaunch(const wire::ScriptSource& source,
                                        const std::filesystem::path& runFolder, int output, int errors);

}  // namespace highwater::script
