#include "core/python/trainer.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "core/ask/find_cudnn.h"
#include "core/ask/learner.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/paths.h"
#include "core/base/processor.h"
#include "core/base/program_output.h"
#include "core/base/text.h"
#include "core/predict/predict.h"
#include "core/scan/phantom_client.h"
#include "core/script/launch.h"
#include "core/stack/export/export_pytorch.h"
#include "core/stack/shapes.h"
#include "core/wire/engine_launch.h"
#include "core/wire/predicted.h"

namespace highwater::python {
namespace {

namespace fs = std::filesystem;
using base::Error;

constexpr std::size_t kLongestAnswer = 16384;
constexpr std::chrono::seconds kPatience{60};
constexpr std::string_view kEngineCan = "the engine can run it (without --python)";

base::Result<fs::path> runner() {
    const fs::path file = base::siblingProgram("pretend/python/run_experiment.py");
    return file.empty() ? base::Result<fs::path>(Error{fmt::format(
                              "the part that trains in Python (pretend/python) is not beside this program in "
                              "{}; install it there",
                              base::programFolder().string())})
                        : file;
}

/// Python finds the virtual environment that it belongs to by its path, which env gives it as its name; a
/// Launch gives a program its file's name.
base::Launch throughEnv() {
    base::Launch launch;
    launch.program = "/usr/bin/env";
    return launch;
}

base::Result<wire::PythonSource> ask(const fs::path& python, bool pretends) {
    const auto file = HIGHWATER_TRY(runner());
    base::Launch launch = throughEnv();
    launch.arguments = {python.string(), "-I", file.string(),
                        pretends ? "--describe-pretended" : "--describe"};
    const auto said = base::outputOf(launch, kLongestAnswer, kPatience);
    if (!said) {
        return Error{
            fmt::format("{} cannot be asked for its PyTorch: {}", python.string(), said.error().message)};
    }
    const auto json = HIGHWATER_TRY(base::parseJson(*said, python.string()));
    base::JsonReader reader(json, "");
    wire::PythonSource source;
    source.python = python;
    source.version = base::oneLine(reader.text("python"), 60);
    source.torch = base::oneLine(reader.text("torch"), 60);
    source.cudnn = reader.text("cudnn", "");
    const std::string problem = reader.text("problem");
    reader.acceptAnyKey();
    HIGHWATER_TRY(base::prefixed(python.string(), reader.finish()));
    return problem.empty() ? base::Result<wire::PythonSource>(std::move(source))
                           : Error{base::oneLine(problem, 400)};
}

/// What this PyTorch will need for the exported program; nothing where it cannot be said before the run: on a
/// GPU that is there.
std::optional<wire::Predicted> predictedFor(const wire::PythonSource& trainer, const std::string& device,
                                            const stack::Experiment& experiment,
                                            const stack::StackInfo& info) {
    if (device != "cpu" && !trainer.pretended()) {
        return std::nullopt;
    }
    const auto version = predict::parseTorchVersion(trainer.torch);
    auto target = trainer.pretended() ? predict::gpuTarget(trainer.gpu, experiment,
                                                           version ? std::optional(*version) : std::nullopt)
                                      : predict::cpuTarget(experiment, trainer.torch);
    if (!target) {
        return std::nullopt;
    }
    target->inPython = true;
    predict::PredictOptions options;
    options.timeline = false;
    auto prediction = predict::predict(experiment, info, *target, options);
    if (ask::findCudnn() && target->asked && !trainer.cudnn.empty()) {
        ask::Asking asking;
        asking.library = trainer.cudnn;
        ask::Learner learner(std::move(asking));
        while (prediction && learner.teach(*prediction, *target)) {
            prediction = predict::predict(experiment, info, *target, options);
        }
    }
    if (!prediction) {
        return std::nullopt;
    }
    return wire::predictedOf(*prediction, target->id);
}

std::vector<wire::PythonLayer> layersOf(const stack::Experiment& experiment, const stack::StackInfo& info) {
    const auto modules = stack::exportedModules(experiment, info);
    std::vector<wire::PythonLayer> layers;
    for (std::size_t i = 0; i < info.layers.size(); ++i) {
        const stack::LayerInfo& layer = info.layers[i];
        layers.push_back({layer.name, layer.type, layer.output, layer.parameters, modules[i], layer.block});
    }
    return layers;
}

}  // namespace

base::Result<wire::PythonSource> findTrainer(const TrainerChoice& choice) {
    const auto python = HIGHWATER_TRY(script::findPython(choice.python, {}));
    if (!choice.gpu.empty()) {
        HIGHWATER_TRY(script::pretendingLaunch({.gpu = choice.gpu}, "."));
    }
    auto source = ask(python, !choice.gpu.empty());
    if (source) {
        source->gpu = choice.gpu;
    }
    return source;
}

std::string deviceOf(const wire::PythonSource& trainer, const std::string& device) {
    return trainer.pretended() ? "pretended " + trainer.gpu : device;
}

base::Status checkExportable(const stack::Experiment& experiment) {
    const auto info = HIGHWATER_TRY(stack::inferShapes(experiment));
    if (!experiment.step.train || info.parameters == 0) {
        return Error{fmt::format(
            "{}: only training goes through Python; {}",
            experiment.step.train ? "the stack has no parameters" : "/step/train is false", kEngineCan)};
    }
    const auto program = stack::exportPytorch(experiment);
    return program ? base::Status() : Error{fmt::format("{}; {}", program.error().message, kEngineCan)};
}

base::Result<wire::EngineProcess> start(const wire::PythonSource& trainer,
                                        const stack::Experiment& experiment, wire::EngineRequest request) {
    const fs::path& folder = request.runFolder;
    const auto exportable = checkExportable(experiment);
    const auto file = runner();
    if (!exportable || !file) {
        return exportable ? file.error() : exportable.error();
    }
    const auto info = stack::inferShapes(experiment);
    HIGHWATER_TRY(base::writeFileAtomically(folder / "model.py", *stack::exportPytorch(experiment)));
    if (stack::readsPhantom(experiment)) {
        HIGHWATER_TRY(scan::writePhantom((folder / base::kHeadPhantomFile).string()));
    }
    HIGHWATER_TRY(wire::writePython(folder, trainer, layersOf(experiment, *info),
                                    predictedFor(trainer, request.device, experiment, *info)));
    base::Launch launch = throughEnv();
    if (trainer.pretended()) {
        launch = HIGHWATER_TRY(script::pretendingLaunch({.gpu = trainer.gpu}, folder));
        request.device = "cuda:0";
    }
    // As many threads as the engine takes: PyTorch's own choice differs between its builds, and the
    // temporaries of convolutions follow from it.
    if (std::getenv("OMP_NUM_THREADS") == nullptr) {
        launch.arguments.push_back(fmt::format("OMP_NUM_THREADS={}", base::defaultThreads()));
    }
    const base::Launch engine = wire::engineLaunch(request, trainer.python);
    launch.arguments.insert(launch.arguments.end(), {trainer.python.string(), "-I", file->string()});
    launch.arguments.insert(launch.arguments.end(), engine.arguments.begin(), engine.arguments.end());
    return wire::EngineProcess::start(std::move(launch), folder);
}

}  // namespace highwater::python
