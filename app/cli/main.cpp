#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/program.h"

namespace highwater::cli {
namespace {

#ifdef HIGHWATER_WHEEL
constexpr const char* kExamples = "Example: highwater-cli predict net.json --target rtx4090";

/// The examples of the commands call the program as the user does.
void nameProgram(CLI::App& app) {
    std::string footer = app.get_footer();
    for (auto at = footer.find("highwater-cli"); at != std::string::npos; at = footer.find("highwater-cli")) {
        footer.replace(at, std::string_view("highwater-cli").size(), kProgram);
    }
    app.footer(footer);
    for (CLI::App* command : app.get_subcommands(nullptr)) {
        nameProgram(*command);
    }
}
#else
constexpr const char* kExamples = R"(Examples:
  highwater-cli volume phantom head-phantom.nii.gz
  highwater-cli run experiment.json --steps 20 --budget 8GiB
  highwater-cli script --pretend rtx3060 train.py --batch 8
  highwater-cli compare 1 2
Exit codes: 0 done, 2 bad input, 3 out of memory or over the budget, 4 the engine failed, 130 interrupted.)";
#endif

/// The program in the Python wheel has only commands that need neither engine nor store.
void addCommands(CLI::App& app, int& exit) {
#ifndef HIGHWATER_WHEEL
    addRun(app, exit);
#endif
    addPredict(app, exit);
    addPlan(app, exit);
#ifndef HIGHWATER_WHEEL
    addSweep(app, exit);
    addRuns(app, exit);
    addCompare(app, exit);
    addReport(app, exit);
    addClaims(app, exit);
    addVolume(app, exit);
    addCases(app, exit);
    addDevices(app, exit);
    addExport(app, exit);
    addHosts(app, exit);
#endif
    addScript(app, exit);
    addImport(app, exit);
    addManual(app, exit);
}

/// The deepest subcommand given: the one that was being parsed when something went wrong.
const CLI::App& deepest(const CLI::App& app) {
    const auto used = app.get_subcommands();
    return used.empty() ? app : deepest(*used.front());
}

std::string subcommandNames(const CLI::App& app) {
    std::string names;
    for (const CLI::App* command : shownCommands(app)) {
        names += (names.empty() ? "" : ", ") + command->get_name();
    }
    return names;
}

std::string helpCommand(const CLI::App& command) {
    return command.get_parent() ? helpCommand(*command.get_parent()) + " " + command.get_name()
                                : command.get_name();
}

/// CLI11's message as one line that also says where to look.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& at = deepest(app);
    const bool chooses = !shownCommands(at).empty();
    const auto rest = at.remaining();
    if (chooses && !rest.empty() && rest.front().front() != '-') {
        return fmt::format("unknown subcommand \"{}\"; there are {}", rest.front(), subcommandNames(at));
    }
    if (chooses && dynamic_cast<const CLI::RequiredError*>(&error)) {
        return fmt::format("a subcommand is needed: {}; see `{} --help`", subcommandNames(at),
                           helpCommand(at));
    }
    return fmt::format("{}; see `{} --help`", error.what(), helpCommand(at));
}

int parseAndRun(int argc, char** argv) {
    int exit = kDone;
    CLI::App app("Memory and speed of convolutional networks on volumetric scans.", std::string(kProgram));
    app.require_subcommand(1);
    app.set_version_flag("--version", fmt::format("{} {}", kProgram, HIGHWATER_VERSION));
    app.footer(kExamples);
    addCommands(app, exit);
#ifdef HIGHWATER_WHEEL
    nameProgram(app);
#endif
    try {
        std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
        dropSeparatorOfScript(app, arguments);
        std::ranges::reverse(arguments);  // as CLI11 takes them
        app.parse(std::move(arguments));
    } catch (const CLI::Success& wanted) {  // --help, --version
        return app.exit(wanted);
    } catch (const CLI::ParseError& error) {
        return complain(explain(app, error));
    }
    return exit;
}

}  // namespace
}  // namespace highwater::cli

int main(int argc, char** argv) {
    using highwater::cli::complain;
    using highwater::cli::kEngineFailed;
    constexpr const char* kUnwritten = "standard output cannot be written; the output is incomplete";
    highwater::base::beginProgram();
    try {
        const int exit = highwater::cli::parseAndRun(argc, argv);
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            return complain(kUnwritten, exit != 0 ? exit : kEngineFailed);
        }
        return exit;
    } catch (const std::exception& error) {  // printing more than a buffer throws if it cannot be written
        return complain(std::ferror(stdout) != 0 ? kUnwritten : error.what(), kEngineFailed);
    }
}
