#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/wire/engine_process.h"
#include "core/wire/python_source.h"

/// Experiments through the user's own PyTorch: the exported program is trained by a Python of theirs, and
/// watched, in place of the engine. Its run is an ordinary run of the experiment.
namespace highwater::python {

/// What `run --python` is given.
struct TrainerChoice {
    std::filesystem::path
        python;       ///< an interpreter or a virtual environment's folder; empty: the active one
    std::string gpu;  ///< the profile of a GPU to pretend; empty: none
    bool operator==(const TrainerChoice&) const = default;
};

/// Finds the Python and asks it for its PyTorch, which takes a tenth of a second: nothing is imported.
/// Errors, one line: there is no such Python, it has no PyTorch, or one that cannot be watched or pretended
/// for; there is no such GPU; a part of the installation is missing.
base::Result<wire::PythonSource> findTrainer(const TrainerChoice& choice);

/// The name of the device in the run's row: `device`, or "pretended rtx3060".
std::string deviceOf(const wire::PythonSource& trainer, const std::string& device);

/// Error, one line: the part of the experiment that no program can be exported of, and that the engine can
/// run it.
base::Status checkExportable(const stack::Experiment& experiment);

/// Writes the program, what it needs, and python.json into the run's folder, and starts the Python on them:
/// it takes the engine's arguments and speaks as the engine does. Blocks for seconds where the experiment
/// reads the head phantom. Errors: those of checkExportable(), and of a file that cannot be written.
base::Result<wire::EngineProcess> start(const wire::PythonSource& trainer,
                                        const stack::Experiment& experiment, wire::EngineRequest request);

}  // namespace highwater::python
