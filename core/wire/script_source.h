#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::wire {

/// The user's script, and where it runs: on a pretended GPU, or on its own while it is watched
/// (highwatermark.watch).
struct ScriptSource {
    std::vector<std::string> command;  ///< the script's file, or "-m" and a module; then its arguments
    std::filesystem::path
        python;  ///< the interpreter, or the folder of a virtual environment; empty: it is searched for
    std::filesystem::path folder;  ///< its working directory; empty: the current one
    std::string gpu;               ///< the profile of the pretended GPU; empty: none, the script was watched
    int steps = 3;                 ///< optimizer steps after which it is stopped; 0: it runs to its end
    base::Bytes others = 0;        ///< memory of the GPU used by other processes
    std::optional<base::Bytes> context;  ///< memory of the CUDA context; std::nullopt: the profile's
    /// Which plan wins if the script sets cudnn.benchmark, as named in HIGHWATER_PRETEND_BENCHMARK. Not
    /// stored in a run's folder.
    std::string winner;
    bool timed = false;  ///< one more step is run for its operators (step_time.h); not stored either
    /// For trying changes. Not stored either: a file that applies a change and then runs the script; a memory
    /// size in place of the GPU's; whether to record what the modules hold (script-modules.json).
    std::filesystem::path changed;
    std::optional<base::Bytes> memory;
    bool modules = false;
    bool watched = false;  ///< recorded by highwatermark.watch, on a device or on a pretended one
    /// Environment variables that are set for it, each "NAME=value".
    std::vector<std::string> variables = {};
    bool pretended() const { return !gpu.empty(); }
    bool operator==(const ScriptSource&) const = default;
};

/// The command as one line, for display, with the variables that do not name a path: "train.py --batch 8
/// (EPOCHS=1)".
std::string commandText(const ScriptSource& source);

/// RUN/script.json: it distinguishes a run of a script from one of an experiment. Values of variables whose
/// names say that they are secret (KEY, TOKEN, PASSWORD) are left out.
base::Status writeSource(const std::filesystem::path& runFolder, const ScriptSource& source);
/// std::nullopt if the run is not of a script. Error: the file is damaged.
base::Result<std::optional<ScriptSource>> readSource(const std::filesystem::path& runFolder);

}  // namespace highwater::wire
