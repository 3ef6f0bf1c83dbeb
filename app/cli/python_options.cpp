#include "app/cli/python_options.h"

#include "core/python/trainer.h"

namespace highwater::cli {

void addPythonOptions(CLI::App& command, PythonOptions& options) {
    options.option =
        command
            .add_option("--python", options.python,
                        "Run through the PyTorch of this interpreter or virtual environment "
                        "(without PATH: the active one) instead of the engine; nothing is compiled")
            ->type_name("PATH")
            ->expected(0, 1);
    command
        .add_option("--pretend", options.gpu,
                    "Run through that PyTorch on a GPU that is not there: a profile, such as rtx3060")
        ->type_name("GPU");
}

base::Result<std::optional<wire::PythonSource>> chosenTrainer(const PythonOptions& options,
                                                              const std::string& executor,
                                                              std::string& device) {
    if (!options.any()) {
        return std::optional<wire::PythonSource>();
    }
    const std::string option = options.given() ? "--python" : "--pretend";
    if (executor != "local") {
        return base::Error{option + ": runs on this machine only; leave out --host and --executor"};
    }
    if (!options.gpu.empty() && device != "cpu") {
        return base::Error{"--device: --pretend names the device; leave one of them out"};
    }
    auto trainer = HIGHWATER_TRY(base::prefixed(option, python::findTrainer({options.python, options.gpu})));
    device = python::deviceOf(trainer, device);
    return std::optional(std::move(trainer));
}

std::function<base::Result<wire::EngineProcess>(const stack::Experiment&, const wire::EngineRequest&)>
starterOf(std::optional<wire::PythonSource> trainer) {
    if (!trainer) {
        return {};
    }
    return [trainer = std::move(*trainer)](const stack::Experiment& experiment,
                                           const wire::EngineRequest& request) {
        return python::start(trainer, experiment, request);
    };
}

}  // namespace highwater::cli
