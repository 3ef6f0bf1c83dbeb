#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/script_ranks.h"
#include "app/cli/script_recording.h"
#include "app/cli/script_text.h"
#include "app/cli/script_try.h"
#include "app/cli/target_options.h"
#include "core/base/temporary_folder.h"
#include "core/base/text.h"
#include "core/predict/tables/contexts.h"
#include "core/script/launch.h"
#include "core/script/ranks.h"
#include "core/script/step_operators.h"
#include "core/wire/engine_process.h"

namespace highwater::cli {
namespace {

struct ScriptCommand {
    wire::ScriptSource source;
    std::string python, others, context, budget, store;
    double minutes = 30;
    int ranks = 1;
    bool all = false, json = false, events = false, range = false;
    TryCommand tries;
};

/// Parses a size into `bytes` if one is given.
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

}  // namespace

Ended followScript(wire::EngineProcess& script, double minutes,
                   const std::function<void(const wire::Event&)>& take) {
    using std::chrono::steady_clock;
    constexpr auto kGrace = std::chrono::seconds(15);
    constexpr int kWaitMs = 200;
    const auto late = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(
                                                std::chrono::duration<double, std::ratio<60>>(minutes));
    auto end = steady_clock::time_point::max();
    int heard = 0;
    bool failed = false;
    while (!script.finished()) {
        script.wait(kWaitMs);
        for (const wire::Event& event : script.read()) {
            failed = failed || std::holds_alternative<wire::Failed>(event);
            take(event);
        }
        const auto now = steady_clock::now();
        if (now > late && end == steady_clock::time_point::max()) {
            printText(stderr, "stopped the script after {} minutes; --time-limit allows more\n", minutes);
            end = now + kGrace;
            script.cancel();
        }
        if (interrupts() > heard) {
            heard = interrupts();
            end = std::min(end, now + kGrace);
            heard == 1 ? script.cancel() : script.kill();
        }
        if (now > end) {
            script.kill();
        }
    }
    const bool stopped =
        heard > 1 || (end != steady_clock::time_point::max() && script.exitCode() != 0 && !failed);
    return {stopped ? kInterrupted : script.exitCode(), script.errorText()};
}

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

std::optional<script::ScriptOutcome> outcomeOf(const std::filesystem::path& folder,
                                               const wire::ScriptSource& source) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / "snapshot.pickle", ignored)) {
        return std::nullopt;
    }
    StatusLine status;
    auto read = script::readOutcome(folder, source, [&](double done) {
        status.show(fmt::format("reading what was allocated: {:.0f} %", 100 * done));
        return interrupts() < 2;
    });
    if (!read && interrupts() == 0) {
        printText(stderr, "warning: {}\n", read.error().message);
    }
    return read ? std::optional(std::move(*read)) : std::nullopt;
}

namespace {

/// Runs the script again with another winner of `benchmark`. This run is not recorded and its output is
/// discarded. std::nullopt if it left no memory history.
std::optional<script::ScriptOutcome> outcomeWith(const char* winner, const ScriptCommand& command,
                                                 wire::ScriptSource source) {
    source.winner = winner;
    const auto folder = base::makeTemporaryFolder("highwater-script-");
    const base::Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC)), output = copyOf(nowhere.get());
    if (!folder || interrupts() > 0) {
        return std::nullopt;
    }
    std::optional<script::ScriptOutcome> outcome;
    if (auto launch = script::scriptLaunch(source, *folder, output.get(), output.get())) {
        launch->endsWithStarter = true;
        if (auto started = wire::EngineProcess::start(std::move(*launch), *folder)) {
            followScript(*started, command.minutes, [](const wire::Event&) {});
            outcome = outcomeOf(*folder, source);
        }
    }
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
    return outcome;
}

/// The range of reserved memory between two extremes: the plans with the smallest, and those with the
/// largest, workspace win every search of `benchmark`. If a plan is guessed, the upper end is multiplied
/// by kUnaskedSearch.
std::optional<ReservedRange> rangeOf(const ScriptCommand& command, const wire::ScriptSource& source,
                                     const std::optional<script::ScriptOutcome>& outcome) {
    if (!command.range || !outcome || !outcome->workspaces || outcome->workspaces->benchmarked == 0) {
        return std::nullopt;
    }
    ReservedRange range{outcome->reserved, outcome->reserved};
    for (const char* winner : {"least", "most"}) {
        StatusLine status;
        status.show(fmt::format("running once more, as if the plans with the {} workspace won", winner));
        const auto other = outcomeWith(winner, command, source);
        if (!other) {
            return std::nullopt;
        }
        range.low = std::min(range.low, other->reserved);
        range.high = std::max(range.high, other->reserved);
    }
    if (outcome->workspaces->guessed > 0) {
        range.high = static_cast<base::Bytes>(script::kUnaskedSearch * static_cast<double>(range.high));
        range.high = std::min(range.high, std::max(outcome->reserved, outcome->capacity - outcome->context));
    }
    return range;
}

void tell(const ScriptCommand& command, const ToldScript& told) {
    if (command.events) {
        nlohmann::ordered_json last = {{"event", "result"}};
        last.update(scriptJson(told));
        last["words"] = scriptWords(told);
        printJson(last, -1);
    } else if (command.json) {
        printJson(scriptJson(told));
    } else if (told.outcome != nullptr || !told.result->failure) {
        printScript(told);
    }
}

/// Chooses the size of the context: as given, or as measured on this machine, or the profile's. A given size
/// is stored.
base::Status chooseContext(const ScriptCommand& command, predict::DeviceProfile& profile,
                           wire::ScriptSource& source) {
    if (source.context) {
        profile.contextKept = predict::DeviceProfile::Kept::Given;
        if (const auto kept = predict::keepGivenContext(profile.id, *source.context); !kept) {
            printText(stderr, "warning: the context's size applies to this command only: {}\n",
                      kept.error().message);
        }
        return {};
    }
    if (command.context == kProfilesContext) {
        if (const auto forgotten = predict::forgetContext(profile.id); !forgotten) {
            return base::Error{"--context: " + forgotten.error().message};
        }
        auto own = predict::loadProfile(profile.id);
        if (!own) {
            return own.error();
        }
        profile = std::move(*own);
    }
    if (profile.contextKept != predict::DeviceProfile::Kept::No) {
        source.context = profile.context.expected;
    }
    return {};
}

/// The time of a step, from the operators of one more; nothing, with a warning, if they were not recorded.
void estimateTimes(const std::filesystem::path& folder, const predict::DeviceProfile& profile,
                   ToldScript& told) {
    const auto step = script::readStepOperators(folder);
    if (!step || !*step) {
        printText(stderr, "warning: no time of a step: {}\n",
                  step ? "the script did not take one more step" : step.error().message);
        return;
    }
    const auto time = predict::stepTime(**step, profile);
    if (!time) {
        printText(stderr, "warning: no time of a step: {}\n", time.error().message);
        return;
    }
    told.time = *time;
    for (const script::ScriptFit& fit : told.everywhere) {
        const auto there = predict::stepTime(**step, fit.profile);
        told.timesEverywhere.push_back(there ? there->step : predict::TimeEstimate{});
    }
}

int pretend(const ScriptCommand& command, wire::ScriptSource source, std::optional<base::Bytes> budget) {
    auto profile = predict::loadProfile(source.gpu);
    if (!profile) {
        return complain("--pretend: " + profile.error().message);
    }
    if (const auto chosen = chooseContext(command, *profile, source); !chosen) {
        return complain(chosen.error().message);
    }
    const base::Descriptor output = copyOf(command.json || command.events ? 2 : 1), errors = copyOf(2);
    if (command.tries.wanted) {
        TryCommand tries = command.tries;
        tries.store = command.store;
        tries.minutes = command.minutes;
        tries.output = command.json ? TryOutput::Json : command.events ? TryOutput::Events : TryOutput::Text;
        return tryChanges(tries, source, *profile, budget);
    }
    if (const auto possible = script::scriptLaunch(source, ".", output.get(), errors.get()); !possible) {
        return complain(possible.error().message);  // report this before the run is created
    }
    if (command.ranks > 1) {
        return pretendRanks({.source = source,
                             .profile = *profile,
                             .ranks = command.ranks,
                             .store = command.store,
                             .minutes = command.minutes,
                             .json = command.json,
                             .events = command.events,
                             .budget = budget});
    }
    auto recording = ScriptRecording::begin(command.store, source);
    if (!recording) {
        return complain(recording.error().message);
    }
    catchInterrupts();
    auto launch = script::scriptLaunch(source, recording->folder(), output.get(), errors.get());
    if (!launch) {
        return complain(launch.error().message);
    }
    launch->endsWithStarter = true;
    std::vector<wire::Event> said;
    Ended ended;
    if (auto started = wire::EngineProcess::start(std::move(*launch), recording->folder())) {
        ended = followScript(*started, command.minutes, [&](const wire::Event& event) {
            recording->append(event);
            said.push_back(event);
            if (const auto* warning = std::get_if<wire::Warning>(&event);
                warning != nullptr && !command.events) {
                printText(stderr, "warning: {}\n", base::oneLine(warning->message, 1000));
            }
            if (command.events) {
                printJsonText(wire::toLine(event));
                std::fflush(stdout);
            }
        });
    } else {
        ended.errorText = started.error().message;
    }
    const auto outcome = outcomeOf(recording->folder(), source);
    const script::Completed run =
        script::completed(recording->folder().filename().string(), said, outcome, ended.exitCode);
    for (const wire::StepDone& step : run.steps) {
        recording->append(step);
        if (command.events) {
            printJsonText(wire::toLine(step));
        }
    }
    ToldScript told{.gpu = source.gpu,
                    .name = profile->name,
                    .budget = budget,
                    .outcome = outcome ? &*outcome : nullptr,
                    .result = &run.result,
                    .run = recording->finish(run.result, ended.exitCode, ended.errorText)};
    told.contextKept = profile->contextKept;
    told.range = rangeOf(command, source, outcome);
    if (command.all && outcome) {
        const auto profiles = predict::loadProfiles();
        if (!profiles) {
            return complain(profiles.error().message);
        }
        told.everywhere = script::whereItFits(outcome->trace, *profiles, source.others);
    }
    if (source.timed) {
        estimateTimes(recording->folder(), *profile, told);
    }
    tell(command, told);
    const int exit = exitOf(run.result, told.outcome, budget, ended.exitCode);
    if (run.result.failure && run.result.status != wire::RunStatus::OutOfMemory) {
        return complain(run.result.failure->why, exit);
    }
    if (exit == kOutOfMemory && run.result.status == wire::RunStatus::Done) {
        return complain(fmt::format("the script needs {} of the device, more than the budget of {}",
                                    base::formatBytes(outcome->onDevice()), base::formatBytes(*budget)),
                        exit);
    }
    return ended.exitCode < 0 ? complain(ended.errorText, kEngineFailed) : exit;
}

int pretend(const ScriptCommand& command) {
    wire::ScriptSource source = command.source;
    std::optional<base::Bytes> others, budget;
    const std::string context = command.context == kProfilesContext ? "" : command.context;
    for (const auto& taken :
         {takeSize("--others", command.others, others), takeSize("--context", context, source.context),
          takeSize("--budget", command.budget, budget)}) {
        if (!taken) {
            return complain(taken.error().message);
        }
    }
    std::error_code ignored;
    if (source.timed && source.steps == 0) {
        return complain("--time needs a number of steps: --steps 3, for example");
    }
    source.others = others.value_or(0);
    source.python = command.python;
    source.folder = std::filesystem::current_path(ignored);
    return pretend(command, std::move(source), budget);
}

}  // namespace

void dropSeparatorOfScript(const CLI::App& app, std::vector<std::string>& arguments) {
    const CLI::App* const command = app.get_subcommand("script");
    if (arguments.empty() || arguments.front() != command->get_name()) {
        return;
    }
    for (std::size_t at = 1; at < arguments.size() && arguments[at].starts_with('-');) {
        if (arguments[at] == "--") {
            arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(at));
            return;
        }
        const CLI::Option* const option = command->get_option_no_throw(arguments[at]);
        if (option == nullptr && arguments[at].find('=') == std::string::npos) {
            return;  // -m: the script
        }
        at += option != nullptr && option->get_expected_max() > 0 ? 2 : 1;
    }
}

void addScript(CLI::App& app, int& exit) {
    CLI::App* command =
        app.add_subcommand("script", "Run your own training script on a pretended GPU and see its memory");
    const auto options = std::make_shared<ScriptCommand>();
    command
        ->add_option("--pretend", options->source.gpu,
                     "The GPU: a profile, as `predict --help` lists them, such as rtx3060")
        ->type_name("GPU")
        ->required();
    command
        ->add_option("--steps", options->source.steps,
                     "Optimizer steps after which the script is stopped (default: 3); 0: run it to its end")
        ->check(CLI::Range(0, 1000000));
    command
        ->add_option("--python", options->python,
                     "The interpreter or the virtual environment's folder (default: the active one)")
        ->type_name("PATH");
    command
        ->add_option("--env", options->source.variables,
                     "Set an environment variable for the script; may be given several times")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option("--budget", options->budget,
                     "Exit with 3 if the script needs more of the device, its CUDA context included")
        ->type_name("SIZE");
    command->add_option("--others", options->others, "Device memory that other processes use (default: 0)")
        ->type_name("SIZE");
    command->add_option("--context", options->context, std::string(kContextHelp))->type_name("SIZE");
    command
        ->add_option("--time-limit", options->minutes,
                     "Minutes after which the script is stopped (default: 30)")
        ->type_name("MINUTES")
        ->check(CLI::Range(0.01, 100000.0));
    CLI::Option* ranks =
        command
            ->add_option("--ranks", options->ranks,
                         "Run the script with this many processes on as many GPUs, as torchrun "
                         "--nproc-per-node does (default: 1)")
            ->type_name("N")
            ->check(CLI::Range(1, script::kMostRanks));
    command
        ->add_flag("--benchmark-range", options->range,
                   "Where the script sets cudnn.benchmark: run it twice more for the least and the most that "
                   "can be reserved")
        ->excludes(ranks);
    command
        ->add_flag("--time", options->source.timed,
                   "Also estimate how long a step takes, from the operators of one more step")
        ->excludes(ranks);
    addTryOptions(*command, options->tries, *ranks);
    command->add_flag("--all", options->all, "Also replay the recorded requests on every GPU")
        ->excludes(ranks);
    CLI::Option* json = command->add_flag("--json", options->json,
                                          "Print one JSON object; the script's own output goes to stderr");
    command
        ->add_flag("--events", options->events,
                   "Print every event as one JSON object per line, the result as the last; the script's own "
                   "output goes to stderr")
        ->excludes(json);
#ifndef HIGHWATER_WHEEL
    addStoreOption(*command, options->store);
#endif
    command->prefix_command();
    command->footer(
        "Everything after the options is the script and its arguments: a file, a command of the Python "
        "environment, or -m MODULE.\nExample: highwater-cli script --pretend rtx3060 train.py --batch "
        "8\nExit codes: those of the script, and 3 out of memory or over the budget");
    command->callback([=, &exit] {
        options->source.command = command->remaining_for_passthrough(false);
        std::ranges::reverse(options->source.command);
        exit = pretend(*options);
    });
}

}  // namespace highwater::cli
