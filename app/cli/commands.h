#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/paths.h"
#include "core/base/result.h"
#include "core/runs/run_store.h"

/// Each function adds a subcommand, which runs while the command line is parsed and sets `exit`.
namespace highwater::cli {

void addRun(CLI::App& app, int& exit);
void addRuns(CLI::App& app, int& exit);
void addCases(CLI::App& app, int& exit);
void addClaims(CLI::App& app, int& exit);
void addCompare(CLI::App& app, int& exit);
void addDevices(CLI::App& app, int& exit);
void addHosts(CLI::App& app, int& exit);
void addExport(CLI::App& app, int& exit);
void addImport(CLI::App& app, int& exit);
/// Prints what is packaged beside the program; not shown in the help.
void addManual(CLI::App& app, int& exit);
void addPlan(CLI::App& app, int& exit);
void addPredict(CLI::App& app, int& exit);
void addReport(CLI::App& app, int& exit);
void addScript(CLI::App& app, int& exit);
/// Takes out the "--" between the options of `script` and the script: CLI11 would give what follows it to the
/// program instead of the subcommand.
void dropSeparatorOfScript(const CLI::App& app, std::vector<std::string>& arguments);
void addSweep(CLI::App& app, int& exit);
void addVolume(CLI::App& app, int& exit);
/// A subcommand of `export`.
void addExportNnunet(CLI::App& group, int& exit);
/// A subcommand of `import`.
void addImportPytorch(CLI::App& import, int& exit);
void addImportOnnx(CLI::App& import, int& exit);
/// A subcommand of `runs`.
void addCapture(CLI::App& runs, int& exit);
void addFetch(CLI::App& runs, int& exit);

/// The subcommands that the help shows.
std::vector<const CLI::App*> shownCommands(const CLI::App& app);

inline void addStoreOption(CLI::App& command, std::string& folder) {
    command.add_option("--store", folder, "Folder of the runs (default: $XDG_DATA_HOME/highwater)")
        ->type_name("DIR")
        ->check([](const std::string& given) {
            return given.empty() ? std::string("the folder's name is empty") : std::string();
        });
}

/// Whether a --device value is valid: cpu, cuda, cuda:N.
base::Status checkDevice(const std::string& device);

/// Opens the store of --store. Waiting for it, and anything unusual about it, is reported on stderr.
base::Result<runs::RunStore> openStore(const std::string& folder);

}  // namespace highwater::cli
