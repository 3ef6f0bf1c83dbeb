#include "core/runs/compare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/ask_cudnn.h"
#include "app/cli/commands.h"
#include "app/cli/compare_snapshot.h"
#include "app/cli/device_text.h"
#include "app/cli/output.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
    std::string store;
    std::vector<std::string> runs;
    SnapshotOptions snapshot;
    bool json = false;
};

/// Whether the arguments are an experiment and a snapshot, rather than runs.
bool namesFiles(const CompareOptions& options) {
    std::error_code none;
    return options.runs.size() == 2 &&
           (options.runs[0].ends_with(".json") || std::filesystem::is_regular_file(options.runs[0], none));
}

Json toJson(const runs::Comparison& comparison) {
    const base::Interval& time = comparison.timeRatio;
    return {
        {"id", comparison.id},
        {"memory_ratio", comparison.memoryRatio > 0 ? Json(comparison.memoryRatio) : Json()},
        {"time_ratio",
         time.n > 0
             ? Json({{"median", time.median}, {"ci95", Json::array({time.low, time.high})}, {"n", time.n}})
             : Json()},
        {"time_differs", comparison.timeDiffers},
        {"differences", comparison.differences},
        {"summary", runs::describe(comparison)}};
}

void print(const runs::RunRecord& run, const runs::Comparison& comparison, int baseline) {
    printText("run {} against run {}: {}\n", run.summary.number, baseline, runs::describe(comparison));
    for (const std::string& difference : comparison.differences) {
        printText("  {}\n", difference);
    }
}

/// Prints a table of the GPU memory at the peaks of the runs that used a GPU.
void printDevices(const std::vector<runs::RunRecord>& records) {
    std::vector<DeviceColumn> columns;
    for (const runs::RunRecord& run : records) {
        if (run.result.deviceAtPeak) {
            columns.push_back({fmt::format("run {}", run.summary.number), *run.result.deviceAtPeak});
        }
    }
    if (!columns.empty()) {
        printLines("\nat the peak\n" + deviceTable(columns));
    }
}

int compare(CompareOptions& options) {
    if (namesFiles(options)) {
        options.snapshot.json = options.json;
        return compareSnapshot(options.runs[0], options.runs[1], options.snapshot);
    }
    if (options.snapshot.learn || options.snapshot.target.target != "cpu") {
        return complain(
            "--learn and --target need an experiment and a snapshot: compare EXPERIMENT.json "
            "SNAPSHOT.pickle");
    }
    const auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    std::vector<runs::RunRecord> records;
    for (const std::string& run : options.runs) {
        auto record = HIGHWATER_TRY_OR_COMPLAIN(store.load(run));
        records.push_back(std::move(record));
    }
    const runs::RunRecord& baseline = records.front();
    Json all = Json::array();
    for (std::size_t i = 1; i < records.size(); ++i) {
        const runs::Comparison comparison = runs::compare(records[i], baseline);
        all.push_back(toJson(comparison));
        if (!options.json) {
            print(records[i], comparison, baseline.summary.number);
        }
    }
    if (!options.json) {
        printDevices(records);
    } else {
        printJson({{"baseline", baseline.summary.id}, {"comparisons", all}});
    }
    return kDone;
}

}  // namespace

void addCompare(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand(
        "compare", "Runs against the first one given; or a prediction against a memory snapshot");
    const auto options = std::make_shared<CompareOptions>();
    command
        ->add_option("RUN", options->runs,
                     "Two or more runs, by number or id; or an experiment's file and a snapshot "
                     "that PyTorch recorded while training it")
        ->required()
        ->expected(2, 1000);
    command->add_flag("--json", options->json, "Print one JSON object");
    addStoreOption(*command, options->store);
    addTargetOptions(*command, options->snapshot.target);
    addCudnnOption(*command, options->snapshot.library);
    command->add_flag("--learn", options->snapshot.learn,
                      "Keep the workspaces in the snapshot as measured on the target");
    command->footer(
        "Examples:\n  highwater-cli compare 1 2 3\n  highwater-cli compare experiment.json "
        "snapshot.pickle --target rtx4090 --libtorch 2.8 --learn");
    command->callback([options, &exit] { exit = compare(*options); });
}

}  // namespace highwater::cli
