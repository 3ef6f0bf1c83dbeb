#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/scans.h"
#include "app/cli/summary.h"
#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

struct RunOptions {
    std::string experiment, device = "cpu", budget, store;
    int steps = 20, warmup = 3;
    bool json = false, events = false, noTrace = false;
};

base::Result<stack::Experiment> readExperiment(const std::string& path, bool cuda) {
    auto experiment = stack::loadExperiment(path);
    if (!experiment) {
        return experiment;
    }
    const auto info = stack::inferShapes(*experiment);
    if (!info) {
        return base::Error{path + ": " + info.error().message};
    }
    if (const auto supported = stack::checkSupported(*experiment, *info, cuda); !supported) {
        return base::Error{path + ": " + supported.error().message};
    }
    return experiment;
}

base::Result<wire::EngineRequest> checkOptions(const RunOptions& options) {
    wire::EngineRequest request;
    if (const auto known = checkDevice(options.device); !known) {
        return known.error();
    }
    request.device = options.device;
    request.steps = options.steps;
    request.warmup = options.warmup;
    request.trace = !options.noTrace;
    if (options.budget.empty()) {
        return request;
    }
    const auto budget = base::parseBytes(options.budget);
    if (!budget) {
        return base::Error{"--budget: " + budget.error().message};
    }
    if (*budget == 0) {
        return base::Error{"--budget: must be more than 0, such as 8GiB"};
    }
    request.budget = *budget;
    return request;
}

/// Reports the end of the run; returns the exit code.
int report(const RunOptions& options, const runs::RunStore& store, const runs::RunSummary& row,
           int engineExit) {
    const auto record = store.load(row.id);
    if (!record) {
        return complain(record.error().message, kEngineFailed);
    }
    if (options.json) {
        printJson(wire::toJson(record->result));
    } else if (!options.events) {
        printSummary(*record);
    }
    switch (row.status) {
        case wire::RunStatus::Done:
            return kDone;
        case wire::RunStatus::Cancelled:
            return complain(fmt::format("run {} was interrupted; what was measured is recorded", row.number),
                            kInterrupted);
        case wire::RunStatus::OutOfMemory:
            return complain(fmt::format("run {}: {}", row.number, row.message), kOutOfMemory);
        default:
            if (engineExit ==
                kBadInput) {  // an error in the input that only the engine sees, such as labels out of range
                return complain(
                    fmt::format("{}: {} (recorded as run {})", options.experiment, row.message, row.number));
            }
            return complain(fmt::format("run {}: {}", row.number, row.message), kEngineFailed);
    }
}

int run(const RunOptions& options) {
    auto request = checkOptions(options);
    if (!request) {
        return complain(request.error().message);
    }
    const auto experiment = readExperiment(options.experiment, options.device != "cpu");
    if (!experiment) {
        return complain(experiment.error().message);
    }
    catchInterrupts();
    const auto volumes = readVolumes(*experiment);
    if (interrupts() > 0) {
        return complain("interrupted; no run was started", kInterrupted);
    }
    if (!volumes) {
        return complain(volumes.error().message);
    }
    for (const volume::Volume& volume : *volumes) {
        request->volumeFds.push_back(volume.fd());
    }

    auto store = openStore(options.store);
    if (!store) {
        return complain(store.error().message);
    }
    const auto folder = store->create(*experiment, options.device);
    if (!folder) {
        return complain(folder.error().message);
    }
    request->runFolder = *folder;
    const EngineOutcome outcome = follow(*request, options.events);
    const auto row = store->settle(folder->filename().string(), outcome.exitCode, outcome.errorText);
    return row ? report(options, *store, *row, outcome.exitCode)
               : complain(row.error().message, kEngineFailed);
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
    addStoreOption(*command, options->store);
    command->footer("Example: highwater-cli run experiment.json --steps 20 --budget 8GiB --json");
    command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace highwater::cli
