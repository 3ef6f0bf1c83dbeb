#include "core/study/sweep.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/scans.h"
#include "app/cli/sweep_text.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/report/sweep_csv.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "core/study/factorial.h"
#include "core/study/local_runner.h"
#include "core/study/toggles.h"

namespace highwater::cli {
namespace {

using study::Cell;
using study::Measured;
using study::Sweep;

struct SweepOptions {
    std::string sweep, base, listToggles, device = "cpu", executor = "local", out, store;
    std::vector<std::string> toggles;
    int steps = 12, repeats = 0;
    bool json = false;
};

base::Result<Sweep> factorialOf(const SweepOptions& options) {
    auto base = stack::loadExperiment(options.base);
    if (!base) {
        return base.error();
    }
    Sweep sweep;
    sweep.base = std::move(*base);
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
    auto sweep = options.sweep.empty() ? factorialOf(options) : study::loadSweep(options.sweep);
    if (!sweep) {
        return sweep;
    }
    if (options.repeats > 0) {
        sweep->repeats = options.repeats;
    }
    if (const auto good = study::checkSweep(*sweep); !good) {
        return base::Error{options.sweep.empty() ? good.error().message
                                                 : options.sweep + ": " + good.error().message};
    }
    return sweep;
}

base::Status checkOptions(const SweepOptions& options) {
    if (auto known = checkDevice(options.device); !known) {
        return known;
    }
    if (options.executor == "slurm") {
        return base::Error{"--executor: slurm is not available in this version; use local"};
    }
    if (options.executor != "local") {
        return base::Error{fmt::format("--executor: \"{}\" is not an executor; give local",
                                       base::oneLine(options.executor, 60))};
    }
    const std::string extension = std::filesystem::path(options.out).extension();
    if (!options.out.empty() && extension != ".csv" && extension != ".json") {
        return base::Error{fmt::format("--out: {} must end in .csv or .json", options.out)};
    }
    return {};
}

int listToggles(const SweepOptions& options) {
    if (auto known = checkDevice(options.device); !known) {
        return complain(known.error().message);
    }
    const auto experiment = stack::loadExperiment(options.listToggles);
    if (!experiment) {
        return complain(experiment.error().message);
    }
    if (const auto info = stack::inferShapes(*experiment); !info) {
        return complain(options.listToggles + ": " + info.error().message);
    }
    fmt::print("{}", togglesText(*experiment, options.device != "cpu"));
    return kDone;
}

std::vector<study::Subject> subjectsOf(const std::vector<Cell>& cells) {
    std::vector<study::Subject> subjects;
    for (const Cell& cell : cells) {
        if (cell.problem.empty()) {
            subjects.push_back(cell.subject);
        }
    }
    return subjects;
}

/// Shows progress: "3 of at most 24 · inplace on, repeat 2 · step 5"
class Follower {
public:
    void begin(const study::Progress& progress) {
        said_ = fmt::format("run {} of at most {} · {}", progress.done + 1, progress.atMost, progress.what);
        line_.show(said_);
    }
    void take(const wire::Event& event) {
        if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            line_.show(fmt::format("{} · step {} · {}{}", said_, step->index + 1,
                                   base::formatMillis(step->total), interrupts() > 0 ? " · stopping" : ""));
        }
    }
    void clear() { line_.clear(); }

private:
    StatusLine line_;
    std::string said_;
};

base::Result<std::vector<Measured>> measure(const SweepOptions& options, const Sweep& sweep,
                                            const std::vector<Cell>& cells, runs::RunStore& store) {
    Follower follower;
    ScanShelf shelf;
    study::LocalRun how;
    how.device = options.device;
    how.steps = options.steps;
    how.study = runs::newStudy(sweep.name.empty() ? "sweep of " + sweep.base.name : sweep.name);
    how.volumes = [&shelf](const stack::Experiment& experiment) { return shelf.of(experiment); };
    how.event = [&follower](const wire::Event& event) { follower.take(event); };
    auto measured = study::measure(
        subjectsOf(cells), study::localRunner(store, how, interruptFlag()), study::trialOptions(sweep),
        interruptFlag(), [&follower](const study::Progress& progress) { follower.begin(progress); });
    follower.clear();
    return measured;
}

base::Status write(const study::SweepResult& result, const std::string& out) {
    if (out.empty()) {
        return {};
    }
    const bool csv = std::filesystem::path(out).extension() == ".csv";
    using Json = nlohmann::ordered_json;
    return base::writeFileAtomically(
        out, csv ? report::sweepCsv(result)
                 : study::toJson(result).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
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

int run(const SweepOptions& options) {
    if (!options.listToggles.empty()) {
        return listToggles(options);
    }
    if (const auto good = checkOptions(options); !good) {
        return complain(good.error().message);
    }
    auto sweep = sweepOf(options);
    if (!sweep) {
        return complain(sweep.error().message);
    }
    auto cells = study::expand(*sweep, options.device != "cpu");
    if (!cells) {
        return complain(cells.error().message);
    }
    if (subjectsOf(*cells).empty()) {
        return complain(fmt::format("none of the {} combinations can be run; {}: {}", cells->size(),
                                    cells->front().subject.name, cells->front().problem));
    }
    auto store = openStore(options.store);
    if (!store) {
        return complain(store.error().message);
    }
    catchInterrupts();
    auto measured = measure(options, *sweep, *cells, *store);
    if (!measured && interrupts() > 0) {
        return complain("interrupted; nothing was measured", kInterrupted);
    }
    if (!measured) {
        return complain(measured.error().message, kEngineFailed);
    }
    auto ofCells = study::byCell(*cells, std::move(*measured));
    const auto result = study::evaluate(std::move(*sweep), std::move(*cells), std::move(ofCells));
    if (options.json) {
        printJson(study::toJson(result));
    } else {
        fmt::print("{}", sweepText(result));
    }
    std::fflush(stdout);
    if (const auto written = write(result, options.out); !written) {
        return complain(written.error().message);
    }
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
                     "Instead of a sweep's file: an experiment whose toggles are combined")
        ->type_name("EXPERIMENT");
    command->add_option("--toggle", options->toggles, "A toggle to combine; give the option once for each")
        ->type_name("ID")
        ->allow_extra_args(false);
    command
        ->add_option("--list-toggles", options->listToggles,
                     "List the toggles: which apply to this experiment, and why the others do not")
        ->type_name("EXPERIMENT");
    command->add_option("--device", options->device, "cpu, cuda or cuda:N (default: cpu)");
    command->add_option("--steps", options->steps, "Steps of each run, warm-up included (default: 12)")
        ->check(CLI::Range(1, 1000000));
    command
        ->add_option("--repeats", options->repeats,
                     "The least number of repeats (default: as the sweep says; 3 for a factorial)")
        ->check(CLI::Range(1, 10000));
    command->add_option("--executor", options->executor,
                        "Where the runs are made; in this version local (the default) alone");
    command->add_option("--out", options->out, "Also write the result: .csv or .json")->type_name("FILE");
    command->add_flag("--json", options->json, "Print the result as one JSON object");
    addStoreOption(*command, options->store);
    command->footer(
        "Example: highwater-cli sweep --base experiment.json --toggle inplace --toggle checkpoint_sqrt");
    command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace highwater::cli
