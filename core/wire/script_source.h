#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::wire {

/// A script of the user's, and where it runs: on a pretended GPU, or watched where it ran by itself
/// (highwatermark.watch).
struct ScriptSource {
    std::vector<std::string> command;  ///< the script's file, or "-m" and a module; then its arguments
    std::filesystem::path
        python;  ///< the interpreter, or the folder of a virtual environment; empty: one is looked for
    std::filesystem::path folder;  ///< that it runs in; empty: the current one
    std::string gpu;               ///< the profile of the GPU that is pretended; empty: none, it was watched
    int steps = 3;                 ///< of the optimizer, after which it is stopped; 0: it runs to its end
    base::Bytes others = 0;        ///< that other processes hold of the GPU
    std::optional<base::Bytes> context;  ///< of the CUDA context; none: the profile's
    /// Which plan wins where the script sets cudnn.benchmark, as HIGHWATER_PRETEND_BENCHMARK names it. Not
    /// kept in a run's folder.
    std::string winner;
    bool watched = false;  ///< recorded by highwatermark.watch, on a device or on a pretended one
    bool pretended() const { return !gpu.empty(); }
    bool operator==(const ScriptSource&) const = default;
};

/// The command as one line, for people: "train.py --batch 8".
std::string commandText(const ScriptSource& source);

/// RUN/script.json: it tells a run of a script from one of an experiment.
base::Status writeSource(const std::filesystem::path& runFolder, const ScriptSource& source);
/// Nothing if the run is none of a script. Error: the file is damaged.
base::Result<std::optional<ScriptSource>> readSource(const std::filesystem::path& runFolder);

}  // namespace highwater::wire
