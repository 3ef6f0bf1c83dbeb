#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/script_text.h"
#include "core/base/text.h"
#include "core/script/launch.h"

namespace highwater::cli {
namespace {

struct ScriptCommand {
    wire::ScriptSource source;
    std::string python, others, context, budget, store;
    double minutes = 30;
    bool all = false, json = false, events = false;
};

/// Reads a size into `bytes`, where one is given.
base::Status takeSize(const char* option, const std::string& text, std::optional<base::Bytes>& bytes) {
    if (text.empty()) {
        return {};
    }
    const auto size = base::parseBytes(text);
    if (!size) {
        return base::Error{fmt::format("{}: {}", option, size.error().message)};
    }
    bytes = *size;
    return {};
}

/// What the pretended device said of a script, as it is recorded.
class Recorded {
public:
    explicit Recorded(runs::RunWriter writer) : writer_(std::move(writer)) {}
    void operator()(const wire::Event& event) {
        keep(writer_.append(event));
        said_.push_back(event);
    }
    /// The run's result; what could not be written is said once.
    wire::RunResult finish(const std::string& id, const std::optional<script::ScriptOutcome>& outcome,
                           int exitCode) {
        const script::Completed run = script::completed(id, said_, outcome, exitCode);
        for (const wire::StepDone& step : run.steps) {
            keep(writer_.append(step));
        }
        keep(writer_.append(wire::Finished{run.result}));
        keep(writer_.finish(run.result));
        if (!wrote_) {
            printText(stderr, "warning: {}\n", wrote_.error().message);
        }
        return run.result;
    }

private:
    void keep(const base::Status& status) { wrote_ = wrote_ ? status : wrote_; }
    runs::RunWriter writer_;
    std::vector<wire::Event> said_;
    base::Status wrote_;
};

/// A copy of one of this program's own streams that the script writes to.
base::Descriptor copyOf(int stream) {
    return base::Descriptor(::fcntl(stream, F_DUPFD_CLOEXEC, 3));
}

int exitOf(const wire::RunResult& result, const script::ScriptOutcome* outcome,
           std::optional<base::Bytes> budget, int scriptExit) {
    switch (result.status) {
        case wire::RunStatus::Done:
            return outcome != nullptr && budget && outcome->onDevice() > *budget ? kOutOfMemory : kDone;
        case wire::RunStatus::OutOfMemory:
            return kOutOfMemory;
        case wire::RunStatus::Cancelled:
            return kInterrupted;
        default:
            return scriptExit > 0 ? scriptExit : kEngineFailed;
    }
}

int pretend(const ScriptCommand& command) {
    wire::ScriptSource source = command.source;
    std::optional<base::Bytes> others, budget;
    for (const auto& taken : {takeSize("--others", command.others, others),
                              takeSize("--context", command.context, source.context),
                              takeSize("--budget", command.budget, budget)}) {
        if (!taken) {
            return complain(taken.error().message);
        }
    }
    source.others = others.value_or(0);
    source.python = command.python;
    std::error_code ignored;
    source.folder = std::filesystem::current_path(ignored);
    const auto profile = predict::loadProfile(source.gpu);
    if (!profile) {
        return complain("--pretend: " + profile.error().message);
    }
    const base::Descriptor output = copyOf(command.json || command.events ? 2 : 1), errors = copyOf(2);
    if (const auto possible = script::scriptLaunch(source, ".", output.get(), errors.get()); !possible) {
        return complain(possible.error().message);
    }
    auto store = openStore(command.store);
    if (!store) {
        return complain(store.error().message);
    }
    const auto folder = store->create(source);
    if (!folder) {
        return complain(folder.error().message);
    }
    const std::string id = folder->filename().string();
    auto launch = script::scriptLaunch(source, *folder, output.get(), errors.get());
    auto writer = runs::RunWriter::open(*folder);
    if (const auto written = wire::writeSource(*folder, source); !written || !launch || !writer) {
        return complain(!written  ? written.error().message
                        : !launch ? launch.error().message
                                  : writer.error().message);
    }
    catchInterrupts();
    Recorded recorded(std::move(*writer));
    const EngineOutcome ended =
        followScript(std::move(*launch), *folder, command.minutes, [&](const wire::Event& event) {
            recorded(event);
            if (command.events) {
                printJsonText(wire::toLine(event));
                std::fflush(stdout);
            }
        });
    std::optional<script::ScriptOutcome> outcome;
    if (std::filesystem::exists(*folder / "snapshot.pickle", ignored)) {
        StatusLine status;
        auto read = script::readOutcome(*folder, source, [&](double done) {
            status.show(fmt::format("reading what was allocated: {:.0f} %", 100 * done));
            return interrupts() < 2;
        });
        if (read) {
            outcome = std::move(*read);
        } else {
            printText(stderr, "warning: {}\n", read.error().message);
        }
    }
    const wire::RunResult result = recorded.finish(id, outcome, ended.exitCode);
    const auto row = store->settle(id, ended.exitCode, ended.errorText);
    ToldScript told{source.gpu, profile->name,        budget, outcome ? &*outcome : nullptr, &result,
                    {},         row ? row->number : 0};
    if (command.all && outcome) {
        const auto profiles = predict::loadProfiles();
        if (!profiles) {
            return complain(profiles.error().message);
        }
        told.everywhere = script::whereItFits(outcome->trace, *profiles, source.others);
    }
    if (command.events) {
        nlohmann::ordered_json last = {{"event", "result"}};
        last.update(scriptJson(told));
        printJson(last, -1);
    } else if (command.json) {
        printJson(scriptJson(told));
    } else if (outcome || !result.failure) {
        printScript(told);
        printText("\nRecorded as run {}.\n", told.run);
    }
    const int exit = exitOf(result, told.outcome, budget, ended.exitCode);
    if (result.failure && result.status != wire::RunStatus::OutOfMemory) {
        return complain(result.failure->why, exit);
    }
    return ended.exitCode < 0 ? complain(ended.errorText, kEngineFailed) : exit;
}

}  // namespace

void addScript(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand(
        "script", "Run your own training script on a GPU that is not there, and see its memory");
    const auto options = std::make_shared<ScriptCommand>();
    command
        ->add_option("--pretend", options->source.gpu,
                     "The GPU: a profile, as `predict --help` lists them, such as rtx3060")
        ->type_name("GPU")
        ->required();
    command
        ->add_option("--steps", options->source.steps,
                     "Optimizer steps after which the script is stopped (default: 3); 0: it runs to its end")
        ->check(CLI::Range(0, 1000000));
    command
        ->add_option("--python", options->python,
                     "The interpreter or the virtual environment's folder (default: the active one)")
        ->type_name("PATH");
    command
        ->add_option("--budget", options->budget,
                     "Exit with 3 if the script needs more of the device, its CUDA context included")
        ->type_name("SIZE");
    command
        ->add_option("--others", options->others,
                     "Memory of the device that other processes hold (default: 0)")
        ->type_name("SIZE");
    command
        ->add_option("--context", options->context,
                     "Memory of the CUDA context (default: an estimate for the GPU)")
        ->type_name("SIZE");
    command
        ->add_option("--time-limit", options->minutes,
                     "Minutes after which the script is stopped where it is (default: 30)")
        ->type_name("MINUTES")
        ->check(CLI::Range(0.01, 100000.0));
    command->add_flag("--all", options->all, "Also play the recorded requests again on every GPU");
    CLI::Option* json = command->add_flag("--json", options->json,
                                          "Print one JSON object; the script's own output goes to stderr");
    command
        ->add_flag("--events", options->events,
                   "Print every event as one JSON object per line, the result as the last; the script's own "
                   "output goes to stderr")
        ->excludes(json);
    addStoreOption(*command, options->store);
    command->prefix_command();
    command->footer(
        "Everything behind the options is the script and its arguments: a file, a command of the Python "
        "environment, or -m MODULE.\n"
        "Example: highwater-cli script --pretend rtx3060 train.py --batch 8\n"
        "Exit codes: those of the script, and 3 out of memory or over the budget");
    command->callback([=, &exit] {
        options->source.command = command->remaining_for_passthrough(false);
        std::ranges::reverse(options->source.command);
        if (!options->source.command.empty() && options->source.command.front() == "--") {
            options->source.command.erase(options->source.command.begin());
        }
        exit = pretend(*options);
    });
}

}  // namespace highwater::cli
