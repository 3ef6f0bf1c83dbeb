#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/python_options.h"
#include "app/cli/rank_options.h"
#include "app/cli/run_report.h"
#include "app/cli/run_there.h"
#include "app/cli/scans.h"
#include "app/cli/where.h"
#include "core/base/text.h"
#include "core/predict/tables/contexts.h"
#include "core/python/trainer.h"
#include "core/stack/json/json.h"
#include "core/stack/ranks.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

struct RunOptions {
    std::string experiment, device = "cpu", budget, store;
    WhereOptions where;
    double hours = 24;
    int steps = 20, warmup = 3;
    bool json = false, events = false, noTrace = false;
    predict::Ranks ranks;
    PythonOptions python;
};

base::Result<stack::Experiment> readExperiment(const RunOptions& options) {
    const std::string& path = options.experiment;
    const bool cuda = options.device != "cpu" || !options.python.gpu.empty();
    auto experiment = HIGHWATER_TRY(stack::loadExperiment(path));
    const auto info = HIGHWATER_TRY(base::prefixed(path, stack::inferShapes(experiment)));
    HIGHWATER_TRY(base::prefixed(path, stack::checkSupported(experiment, info, cuda)));
    if (options.python.any()) {
        HIGHWATER_TRY(base::prefixed(path, python::checkExportable(experiment)));
    }
    if (options.ranks.count > 1) {
        HIGHWATER_TRY(base::prefixed(path, stack::checkRanks(experiment, info)));
    }
    return experiment;
}

base::Result<wire::EngineRequest> checkOptions(const RunOptions& options) {
    wire::EngineRequest request;
    HIGHWATER_TRY(checkDevice(options.device));
    request.device = options.device;
    request.steps = options.steps;
    request.warmup = options.warmup;
    request.trace = !options.noTrace;
    request.ranks = options.ranks.count;
    request.gradientAsBucketView = options.ranks.gradientAsBucketView;
    if (request.ranks > 1 && request.device != "cpu") {
        return base::Error{
            "--ranks: several ranks run on the CPU only; what each needs on a GPU is predicted: "
            "`highwater-cli predict EXPERIMENT --ranks N --target PROFILE`"};
    }
    if (options.budget.empty()) {
        return request;
    }
    const auto budget = HIGHWATER_TRY(base::prefixed("--budget", base::parseBytes(options.budget)));
    if (budget == 0) {
        return base::Error{"--budget: must be more than 0, such as 8GiB"};
    }
    request.budget = budget;
    return request;
}

/// What the run measured of the GPU's context is what predictions take from now on.
void keepContextOf(const runs::RunStore& store, const std::string& id) {
    const auto record = store.load(id);
    const auto device = record ? record->result.deviceAtPeak : std::nullopt;
    if (!device || !device->contextKnown || device->context <= 0) {
        return;
    }
    const wire::Environment& on = record->result.environment;
    if (const auto kept = predict::keepMeasuredContext(on.deviceName, on.memoryBytes, device->context);
        !kept) {
        printText(stderr, "warning: the CUDA context's size is not kept: {}\n", kept.error().message);
    }
}

int run(const RunOptions& options) {
    auto request = HIGHWATER_TRY_OR_COMPLAIN(checkOptions(options));
    if (request.ranks > 1 && options.where.executor != "local") {
        return complain("--ranks: several ranks run on this machine only; leave out --host and --executor");
    }
    const auto where = HIGHWATER_TRY_OR_COMPLAIN(chosenWhere(options.where));
    if (where.hosts.size() > 1) {
        return complain("--host: a run takes one host");
    }
    if (request.ranks > 1 && options.python.any()) {
        return complain("--ranks: the engine's ranks are run; leave out --python and --pretend");
    }
    const auto experiment = HIGHWATER_TRY_OR_COMPLAIN(readExperiment(options));
    std::string device = options.device;
    const auto trainer =
        HIGHWATER_TRY_OR_COMPLAIN(chosenTrainer(options.python, options.where.executor, device));
    catchInterrupts();
    const RunReport how{options.json, options.events, options.experiment};
    if (where.executor != Where::Executor::Local) {
        return runThere({where.hosts.front(), options.store, options.hours, how}, experiment, request,
                        where.executor == Where::Executor::Slurm);
    }
    // A program reads its scans itself.
    const auto volumes = trainer ? base::Result(std::vector<volume::Volume>()) : readVolumes(experiment);
    if (interrupts() > 0) {
        return complain("interrupted; no run was started", kInterrupted);
    }
    if (!volumes) {
        return complain(volumes.error().message);
    }
    for (const volume::Volume& volume : *volumes) {
        request.volumeFds.push_back(volume.fd());
    }

    auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    const auto folder = HIGHWATER_TRY_OR_COMPLAIN(store.create(experiment, device));
    request.runFolder = folder;
    const EngineOutcome outcome = trainer
                                      ? follow(python::start(*trainer, experiment, request), options.events)
                                      : follow(request, options.events);
    const auto row = store.settle(folder.filename().string(), outcome.exitCode, outcome.errorText);
    if (row && request.device != "cpu" && !trainer) {
        keepContextOf(store, row->id);
    }
    return reportRun(store, row, how, outcome);
}

}  // namespace

void addRun(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand("run", "Train an experiment and measure its memory and time");
    const auto options = std::make_shared<RunOptions>();
    command->add_option("EXPERIMENT", options->experiment, "The experiment's JSON file")->required();
    command->add_option("--device", options->device, "cpu, cuda or cuda:N (default: cpu)");
    command->add_option("--steps", options->steps, "Measured steps (default: 20)")
        ->check(CLI::Range(1, 1000000));
    command->add_option("--warmup", options->warmup, "Warm-up steps before them, not measured (default: 3)")
        ->check(CLI::Range(0, 1000000));
    command->add_option("--budget", options->budget, "Most memory that tensors may take, such as 8GiB")
        ->type_name("SIZE");
    CLI::Option* json = command->add_flag("--json", options->json, "Print the result as one JSON object");
    command->add_flag("--events", options->events, "Print every event as one JSON object per line")
        ->excludes(json);
    command->add_flag("--no-trace", options->noTrace, "Do not record every allocation (trace.db)");
    addWhereOptions(*command, options->where);
    addRankOptions(*command, options->ranks);
    addPythonOptions(*command, options->python);
    CLI::Option* limit =
        command
            ->add_option("--time-limit", options->hours,
                         "Hours after which a run on a host is stopped and recorded (default: 24)")
            ->type_name("HOURS")
            ->check(CLI::Range(0.001, 8760.0));
    addStoreOption(*command, options->store);
    command->footer(
        "Examples:\n  highwater-cli run experiment.json --steps 20 --budget 8GiB --json\n"
        "  highwater-cli run experiment.json --python ~/venv --device cuda\n"
        "  highwater-cli run experiment.json --python ~/venv --pretend rtx3060");
    command->callback([=, &exit] {
        const bool host = command->count("--host") > 0, named = command->count("--executor") > 0;
        if (host && !named) {
            options->where.executor = "ssh";
        }
        exit = limit->count() > 0 && !host && !named ? complain("--time-limit: needs --host or --executor")
                                                     : run(*options);
    });
}

}  // namespace highwater::cli
