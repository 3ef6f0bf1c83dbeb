#include "core/study/sweep.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/python_options.h"
#include "app/cli/sweep_measure.h"
#include "app/cli/sweep_text.h"
#include "app/cli/where.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/python/trainer.h"
#include "core/report/sweep_csv.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "core/study/factorial.h"
#include "core/study/toggles.h"

namespace highwater::cli {
namespace {

using study::Cell;
using study::Measured;
using study::Sweep;

struct SweepOptions {
    std::string sweep, base, listToggles, device = "cpu", out, store;
    WhereOptions where;
    PythonOptions python;
    std::vector<std::string> toggles;
    int steps = 12, repeats = 0;
    bool json = false, resume = false;
    /// Whether options were given that a resumed sweep already has.
    bool deviceGiven = false, stepsGiven = false, whereGiven = false;
};

base::Result<Sweep> factorialOf(const SweepOptions& options) {
    auto base = HIGHWATER_TRY(stack::loadExperiment(options.base));
    Sweep sweep;
    sweep.base = std::move(base);
    sweep.mode = study::SweepMode::Factorial;
    sweep.repeats = 3;
    for (const std::string& id : options.toggles) {
        sweep.axes.push_back({id, {}, {}, id});
    }
    return sweep;
}

base::Result<Sweep> sweepOf(const SweepOptions& options) {
    if (options.sweep.empty() == options.base.empty()) {
        return base::Error{"give a sweep's file, or --base EXPERIMENT with --toggle ID"};
    }
    if (!options.sweep.empty() && !options.toggles.empty()) {
        return base::Error{"--toggle needs --base; a sweep's file names its own axes"};
    }
    if (!options.base.empty() && options.toggles.empty()) {
        return base::Error{"--base needs at least one --toggle ID; see --list-toggles EXPERIMENT"};
    }
    auto sweep =
        HIGHWATER_TRY(options.sweep.empty() ? factorialOf(options) : study::loadSweep(options.sweep));
    if (options.repeats > 0) {
        sweep.repeats = options.repeats;
    }
    HIGHWATER_TRY(base::prefixed(options.sweep, study::checkSweep(sweep)));
    return sweep;
}

base::Status checkOptions(const SweepOptions& options) {
    HIGHWATER_TRY(checkDevice(options.device));
    const std::string extension = std::filesystem::path(options.out).extension();
    if (!options.out.empty() && extension != ".csv" && extension != ".json") {
        return base::Error{fmt::format("--out: {} must end in .csv or .json", options.out)};
    }
    return {};
}

int listToggles(const SweepOptions& options) {
    HIGHWATER_TRY_OR_COMPLAIN(checkDevice(options.device));
    const auto experiment = HIGHWATER_TRY_OR_COMPLAIN(stack::loadExperiment(options.listToggles));
    if (const auto info = stack::inferShapes(experiment); !info) {
        return complain(options.listToggles + ": " + info.error().message);
    }
    printLines(togglesText(experiment, options.device != "cpu"));
    return kDone;
}

base::Status write(const study::SweepResult& result, const std::string& out) {
    if (out.empty()) {
        return {};
    }
    const bool csv = std::filesystem::path(out).extension() == ".csv";
    return base::writeFileAtomically(
        out, csv ? report::sweepCsv(result) : base::jsonText(study::toJson(result), 2) + "\n");
}

bool any(const std::vector<Measured>& measured, wire::RunStatus status) {
    return std::any_of(measured.begin(), measured.end(), [&](const Measured& m) {
        return !m.name.empty() && m.status == status && (status != wire::RunStatus::Done || m.stepMs.n > 0);
    });
}

/// Reports the end of the sweep; returns the exit code.
int exitOf(const study::SweepResult& result) {
    if (interrupts() > 0) {
        return complain("interrupted; what was measured is recorded", kInterrupted);
    }
    for (const Measured& m : result.measured) {
        if (!m.name.empty() && m.status == wire::RunStatus::Failed) {
            return complain(fmt::format("{}: {}", m.name, m.why), kEngineFailed);
        }
    }
    if (!any(result.measured, wire::RunStatus::Done) && any(result.measured, wire::RunStatus::OutOfMemory)) {
        return complain("every combination ran out of memory", kOutOfMemory);
    }
    if (any(result.measured, wire::RunStatus::Cancelled)) {
        return complain("a run was interrupted; what was measured is recorded", kInterrupted);
    }
    return kDone;
}

/// The sweep to resume, with the options that it was started with.
base::Result<study::SweepRecord> recordOf(SweepOptions& options, Sweep& sweep, const runs::RunStore& store,
                                          const std::string& torch) {
    study::SweepRecord record;
    const std::string file = options.sweep.empty() ? "" : std::filesystem::absolute(options.sweep).string();
    if (!options.resume) {
        record.study = runs::newStudy(sweep.name.empty() ? "sweep of " + sweep.base.name : sweep.name);
        record.file = file;
        record.sweep = study::toJson(sweep);
        record.device = options.device;
        record.steps = options.steps;
        record.torch = torch;
        return record;
    }
    auto found = HIGHWATER_TRY(study::findSweep(store.folder(), file, study::toJson(sweep)));
    const int repeats = found.sweep.value("repeats", sweep.repeats);
    std::string hosts;
    for (const std::string& host : found.hosts) {
        hosts += (hosts.empty() ? "" : ",") + host;
    }
    const auto begunWith = [](std::string_view option, const std::string& value) {
        return base::Error{
            fmt::format("--resume: the sweep was begun with {} {}; leave the option out", option, value)};
    };
    if (options.deviceGiven && options.device != found.device) {
        return begunWith("--device", found.device);
    }
    if (options.stepsGiven && options.steps != found.steps) {
        return begunWith("--steps", std::to_string(found.steps));
    }
    if (options.repeats > 0 && options.repeats != repeats) {
        return begunWith("--repeats", std::to_string(repeats));
    }
    if (options.whereGiven && (options.where.executor != found.executor || options.where.hosts != hosts)) {
        return begunWith("--executor", found.executor + (hosts.empty() ? "" : " --host " + hosts));
    }
    if (torch != found.torch) {
        return base::Error{
            found.torch.empty()
                ? "--resume: the sweep was begun with the engine; leave --python out"
                : fmt::format("--resume: the sweep was begun through PyTorch {}; name a Python "
                              "that has it with --python",
                              found.torch)};
    }
    options.device = found.device;
    options.steps = found.steps;
    options.where = {found.executor, hosts};
    sweep.repeats = repeats;
    return found;
}

/// The combinations; those that no program can be exported of cannot be run through Python.
base::Result<std::vector<Cell>> cellsOf(const Sweep& sweep, const SweepOptions& options) {
    auto cells = study::expand(sweep, options.device != "cpu");
    if (!cells || !options.python.any()) {
        return cells;
    }
    for (Cell& cell : *cells) {
        if (const auto exportable = python::checkExportable(cell.subject.experiment);
            cell.problem.empty() && !exportable) {
            cell.problem = exportable.error().message;
        }
    }
    return cells;
}

int run(SweepOptions options) {
    if (!options.listToggles.empty()) {
        return listToggles(options);
    }
    HIGHWATER_TRY_OR_COMPLAIN(checkOptions(options));
    auto where = chosenWhere(options.where);
    if (!where) {
        return complain(where.error().message);
    }
    auto sweep = HIGHWATER_TRY_OR_COMPLAIN(sweepOf(options));
    if (sweep.mode == study::SweepMode::Factorial && where->hosts.size() > 1) {
        return complain("--host: a factorial takes one host, as its effects compare all of its combinations");
    }
    auto trainer = HIGHWATER_TRY_OR_COMPLAIN(chosenTrainer(
        options.python, where->executor == Where::Executor::Local ? "local" : "", options.device));
    auto cells = cellsOf(sweep, options);
    if (!cells) {
        return complain(cells.error().message);
    }
    if (subjectsOf(*cells).empty()) {
        return complain(fmt::format("none of the {} combinations can be run; {}: {}", cells->size(),
                                    cells->front().subject.name, cells->front().problem));
    }
    auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    auto record = HIGHWATER_TRY_OR_COMPLAIN(recordOf(options, sweep, store, trainer ? trainer->torch : ""));
    if (options.resume) {
        where = chosenWhere(options.where);
        cells = cellsOf(sweep, options);
        if (!where || !cells) {
            return complain(where ? cells.error().message : where.error().message);
        }
    }
    record.executor = options.where.executor;
    record.hosts.clear();
    for (const hosts::Host& host : where->hosts) {
        if (host != hosts::thisMachine()) {
            record.hosts.push_back(host.name);
        }
    }
    catchInterrupts();
    auto measured = measureCells({std::move(record), options.resume, std::move(*where), std::move(trainer)},
                                 sweep, *cells, store);
    if (!measured && interrupts() > 0) {
        return complain(options.resume ? "interrupted; what was measured is recorded"
                                       : "interrupted; nothing was measured",
                        kInterrupted);
    }
    if (!measured) {
        return complain(measured.error().message, kEngineFailed);
    }
    auto ofCells = study::byCell(*cells, std::move(measured->measured));
    auto result = study::evaluate(std::move(sweep), std::move(*cells), std::move(ofCells));
    result.notes.insert(result.notes.end(), measured->notes.begin(), measured->notes.end());
    if (options.json) {
        printJson(study::toJson(result));
    } else {
        printLines(sweepText(result));
    }
    std::fflush(stdout);
    HIGHWATER_TRY_OR_COMPLAIN(write(result, options.out));
    return exitOf(result);
}

}  // namespace

void addSweep(CLI::App& app, int& exit) {
    CLI::App* command =
        app.add_subcommand("sweep", "Run many experiments from one, in turns, and compare them");
    const auto options = std::make_shared<SweepOptions>();
    command->add_option("SWEEP", options->sweep, "The sweep's JSON file");
    command
        ->add_option("--base", options->base,
                     "Instead of a sweep file: an experiment whose toggles are combined")
        ->type_name("EXPERIMENT");
    command->add_option("--toggle", options->toggles, "A toggle to combine; give the option once for each")
        ->type_name("ID")
        ->allow_extra_args(false);
    command
        ->add_option("--list-toggles", options->listToggles,
                     "List the toggles: which apply to this experiment, and why the others do not")
        ->type_name("EXPERIMENT");
    CLI::Option* device =
        command->add_option("--device", options->device, "cpu, cuda or cuda:N (default: cpu)");
    CLI::Option* steps =
        command->add_option("--steps", options->steps, "Steps of each run, warm-up included (default: 12)")
            ->check(CLI::Range(1, 1000000));
    command
        ->add_option("--repeats", options->repeats,
                     "The least number of repeats (default: as the sweep says; 3 for a factorial)")
        ->check(CLI::Range(1, 10000));
    addWhereOptions(*command, options->where);
    addPythonOptions(*command, options->python);
    command->add_flag("--resume", options->resume,
                      "Measure what is left of the latest sweep of this file, with its options");
    command->add_option("--out", options->out, "Also write the result: .csv or .json")->type_name("FILE");
    command->add_flag("--json", options->json, "Print the result as one JSON object");
    addStoreOption(*command, options->store);
    command->footer(
        "Examples:\n  highwater-cli sweep --base experiment.json --toggle inplace --toggle checkpoint_sqrt\n"
        "  highwater-cli sweep sweep.json --executor slurm --host cluster --device cuda\n"
        "  highwater-cli sweep sweep.json --resume");
    command->callback([=, &exit] {
        options->deviceGiven = device->count() > 0 || !options->python.gpu.empty();
        options->stepsGiven = steps->count() > 0;
        options->whereGiven = command->count("--executor") + command->count("--host") > 0;
        exit = run(*options);
    });
}

}  // namespace highwater::cli
