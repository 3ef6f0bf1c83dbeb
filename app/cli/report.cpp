#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/ask_cudnn.h"
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/report_predicted.h"
#include "core/base/paths.h"
#include "core/report/report.h"
#include "core/runs/run_store.h"
#include "core/scan/scan_client.h"

namespace highwater::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> runs;
    std::string out, store;
    PredictedReport predicted;
};

/// Adds the first run's scan (its first channel) for the slices, or the reason why there is none.
void addScan(report::ReportInput& input) {
    const auto* scan = std::get_if<stack::ScanInput>(&input.runs.front().experiment.input);
    if (!scan || scan->scans.empty()) {
        return;
    }
    const std::string& path = scan->scans.front().path;
    std::error_code ignored;
    if (path != base::kHeadPhantom && !std::filesystem::exists(path, ignored)) {
        input.scanNote = fmt::format("The scan {} is no longer there, so its slices are not shown.", path);
        return;
    }
    scan::ReadOptions how;
    how.series = scan->scans.front().series;
    how.volume = scan->scans.front().volume;
    base::Result<volume::Volume> volume = scan::readScan(path, how);
    if (volume.ok()) {
        input.scan = std::move(*volume);
    } else {
        input.scanNote = "The scan could not be read, so its slices are not shown: " + volume.error().message;
    }
}

base::Result<report::ReportInput> gather(const ReportOptions& options) {
    const std::filesystem::path folder =
        options.store.empty() ? base::defaultStoreFolder() : std::filesystem::path(options.store);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
        return base::Error{folder.string() + ": no run store is there; name one with --store"};
    }
    const base::Result<runs::RunStore> store = openStore(folder.string());
    if (!store.ok()) {
        return store.error();
    }
    report::ReportInput input;
    for (const std::string& name : options.runs) {
        base::Result<runs::RunRecord> run = store->load(name);
        if (!run.ok()) {
            return run.error();
        }
        input.runs.push_back(std::move(*run));
    }
    input.created = readableNow();
    return input;
}

base::Status makeReport(const ReportOptions& options) {
    const report::Format* format = report::formatOf(options.out);
    base::Result<report::ReportInput> input = gather(options);
    if (!input.ok()) {
        return input.error();
    }
    if (format && format->pictures) {
        addScan(*input);
    }
    StatusLine line;
    line.show("writing " + options.out);
    return report::write(*input, options.out);
}

}  // namespace

void addReport(CLI::App& app, int& exit) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = app.add_subcommand(
        "report", "Write a report of one run, of several, of a prediction, of a plan or of a sweep");
    command->add_option("run", options->runs,
                        "Runs by number, id or the beginning of one; the first is the baseline");
    command->add_option("--out", options->out, "The file to write: " + report::endingsText())->required();
    addStoreOption(*command, options->store);
    PredictedReport& predicted = options->predicted;
    const auto add = [command](const char* name, std::string& to, const char* what, const char* type) {
        command->add_option(name, to, what)->type_name(type);
    };
    add("--predict", predicted.predict, "Report the prediction for this experiment on --target",
        "EXPERIMENT");
    add("--plan", predicted.plan, "Report the plans that need less memory on --target", "EXPERIMENT");
    add("--everywhere", predicted.everywhere, "Report what this experiment needs on every device",
        "EXPERIMENT");
    add("--sweep", predicted.sweep, "Report the result of a sweep or a factorial (sweep --out)",
        "RESULT.json");
    add("--budget", predicted.budget, "With --predict or --plan: the most that a step may need", "SIZE");
    addTargetOptions(*command, predicted.target);
    addCudnnOption(*command, predicted.library);
    command->footer(
        "Example: highwater-cli report --predict experiment.json --target rtx3060 --out fits.pdf");
    command->callback([options, &exit] {
        if (const int kinds = options->predicted.given() + (options->runs.empty() ? 0 : 1); kinds != 1) {
            exit =
                complain(kinds == 0 ? "name runs, or give --predict, --plan, --everywhere or --sweep"
                                    : "give only one of runs, --predict, --plan, --everywhere and --sweep");
            return;
        }
        if (options->runs.empty()) {
            options->predicted.out = options->out;
            exit = reportPredicted(options->predicted);
            return;
        }
        if (const base::Status status = makeReport(*options); !status.ok()) {
            exit = complain(status.error().message);
            return;
        }
        printText("{}\n", std::filesystem::absolute(options->out).string());
        exit = kDone;
    });
}

}  // namespace highwater::cli
