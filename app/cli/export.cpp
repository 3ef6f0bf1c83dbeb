#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/volume_commands.h"
#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/stack/export/export_pytorch.h"
#include "core/stack/json/json.h"

namespace highwater::cli {
namespace {

struct ExportOptions {
    std::string experiment, out;
    bool json = false;
};

int exportTo(const ExportOptions& options) {
    const auto experiment = HIGHWATER_TRY_OR_COMPLAIN(stack::loadExperiment(options.experiment));
    const auto program = stack::exportPytorch(experiment);
    if (!program) {
        return complain(options.experiment + ": " + program.error().message);
    }
    const bool phantom = stack::readsPhantom(experiment);
    if (options.out == "-") {
        std::fwrite(program->data(), 1, program->size(), stdout);
        if (phantom) {
            printText(
                stderr,
                "the program reads {0} in its own folder; make it with: highwater-cli volume phantom {0}\n",
                base::kHeadPhantomFile);
        }
        return kDone;
    }
    HIGHWATER_TRY_OR_COMPLAIN(base::writeFileAtomically(options.out, *program));
    nlohmann::ordered_json json{{"file", options.out}};
    if (phantom) {
        const auto scan = std::filesystem::path(options.out).parent_path() / base::kHeadPhantomFile;
        const auto written = HIGHWATER_TRY_OR_COMPLAIN(writeHeadPhantom(scan.string()));
        json["scan"] = scan.string();
        if (!options.json) {
            printText("{}\n", written);
        }
    }
    if (options.json) {
        printJson(json);
    }
    return kDone;
}

int exportPytorch(const ExportOptions& options) {
    if (options.json && options.out == "-") {
        return complain("--out: \"-\" and --json both want stdout; give --out a file");
    }
    return exportTo(options);
}

}  // namespace

void addExport(CLI::App& app, int& exit) {
    CLI::App* group = app.add_subcommand("export", "Experiments for other programs");
    group->require_subcommand(1);
    CLI::App* command =
        group->add_subcommand("pytorch", "A Python program that trains the same network in PyTorch");
    const auto options = std::make_shared<ExportOptions>();
    command->add_option("EXPERIMENT", options->experiment, "The experiment's file")->required();
    command->add_option("--out", options->out, "Where to write the program; - is stdout")->required();
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer("Example: highwater-cli export pytorch experiment.json --out model.py");
    command->callback([options, &exit] { exit = exportPytorch(*options); });
    addExportNnunet(*group, exit);
}

}  // namespace highwater::cli
