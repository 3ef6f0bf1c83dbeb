#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/wire/script_source.h"

namespace highwater::script {

/// The interpreter for a script: `given`, which may be the folder of a virtual environment; otherwise the
/// active environment ($VIRTUAL_ENV or $CONDA_PREFIX), otherwise .venv or venv next to the script or in the
/// current folder, otherwise python3 on PATH. Error, one line: there is none, or `given` is not one.
base::Result<std::filesystem::path> findPython(const std::filesystem::path& given,
                                               const std::filesystem::path& script);

/// The script's file: `given`, or, if there is no such file, a command in the interpreter's environment
/// ("nnUNetv2_train"). Error: there is no such file.
base::Result<std::filesystem::path> findScript(const std::string& given, const std::filesystem::path& python);

/// A GPU that is pretended, and what is known of it.
struct PretendedGpu {
    std::string gpu;                         ///< the profile
    std::optional<base::Bytes> context;      ///< of the CUDA context; none: the profile's
    base::Bytes others = 0;                  ///< that other processes hold
    std::string winner;                      ///< ScriptSource::winner
    std::optional<base::Bytes> memory = {};  ///< ScriptSource::memory
};

/// The folder of the pretended device's libraries and of run_script.py. Error: it is not installed.
base::Result<std::filesystem::path> deviceFolder();

/// A launch of /usr/bin/env whose arguments set what a program needs to find that GPU; the program and its
/// arguments are to be appended. What the device did is left in the run's folder (device.json). Error: there
/// is no such profile, or a part of the installation is missing.
base::Result<base::Launch> pretendingLaunch(const PretendedGpu& gpu, const std::filesystem::path& runFolder);

/// Error: "NAME=value" is not a variable that can be set for a script, for example because Highwater sets it.
base::Status checkVariable(std::string_view variable);

/// How the script is started: the interpreter with run_script.py, on a pretended GPU. Its standard output
/// carries the engine's events (core/wire/events.h); the script's own output goes to the descriptors `output`
/// and `errors`, which stay open under their numbers (above 2). Error: a part of the installation is missing,
/// or as findPython(), findScript(), checkStartsNoRanks(), checkVariable().
base::Result<base::Launch> scriptLaunch(const wire::ScriptSource& source,
                                        const std::filesystem::path& runFolder, int output, int errors);

}  // namespace highwater::script
