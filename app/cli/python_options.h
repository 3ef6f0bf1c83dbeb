#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/wire/engine_process.h"
#include "core/wire/python_source.h"

/// Through whose PyTorch experiments are run: --python and --pretend.
namespace highwater::cli {

struct PythonOptions {
    std::string python, gpu;
    const CLI::Option* option = nullptr;  ///< --python, which may be given without a path
    bool given() const { return option != nullptr && option->count() > 0; }
    bool any() const { return given() || !gpu.empty(); }
};
void addPythonOptions(CLI::App& command, PythonOptions& options);

/// Nothing where neither option is given: the engine runs. `device` becomes the name of the pretended device,
/// where one is. Errors, one line: those of python::findTrainer(); `device` or `executor` contradict.
base::Result<std::optional<wire::PythonSource>> chosenTrainer(const PythonOptions& options,
                                                              const std::string& executor,
                                                              std::string& device);

/// LocalRun::start for it; empty: the engine is started.
std::function<base::Result<wire::EngineProcess>(const stack::Experiment&, const wire::EngineRequest&)>
starterOf(std::optional<wire::PythonSource> trainer);

}  // namespace highwater::cli
