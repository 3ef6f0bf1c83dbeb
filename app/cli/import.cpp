#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/nnunet_options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/stack/nnunet/nnunet.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

struct ImportOptions {
    NnunetFileOptions file;
    std::string out, precision;
    bool noDeepSupervision = false, json = false;
};

const std::vector<std::string>& precisionWords() {
    static const std::vector<std::string> words = {"fp32", "tf32", "bf16", "fp16"};  // nnU-Net has no others
    return words;
}

stack::Precision precisionOf(const std::string& word) {
    const auto& words = precisionWords();
    const auto at = std::find(words.begin(), words.end(), word);
    return static_cast<stack::Precision>(at - words.begin());
}

void print(const ImportOptions& options, const std::string& configuration, const stack::NnunetImport& made) {
    const auto info = *stack::inferShapes(made.experiment);  // valid: the import has checked it
    const std::span<const std::int64_t> input = info.input;
    if (options.json) {
        printJson({{"experiment", options.out},
                   {"configuration", configuration},
                   {"name", made.experiment.name},
                   {"parameters", info.parameters},
                   {"input_shape", info.input},
                   {"classes", info.targetClasses},
                   {"notes", made.notes}});
        return;
    }
    printText("{}: {}, {} parameters, patch {}, batch {}\n", options.out, made.experiment.name,
              base::formatCount(info.parameters), base::formatShape(input.subspan(2)), input[0]);
    for (const std::string& note : made.notes) {
        printText("  note: {}\n", note);
    }
}

int import(const ImportOptions& options) {
    const auto configuration = HIGHWATER_TRY_OR_COMPLAIN(chosenConfiguration(options.file));
    stack::NnunetOptions how;
    how.configuration = configuration;
    how.classes = options.file.classes;
    how.inputChannels = options.file.channels;
    how.deepSupervision = !options.noDeepSupervision;
    how.precision = precisionOf(options.precision);
    const auto made = HIGHWATER_TRY_OR_COMPLAIN(stack::importNnunetFile(options.file.plans, how));
    HIGHWATER_TRY_OR_COMPLAIN(stack::saveExperiment(made.experiment, options.out));
    print(options, configuration, made);
    return kDone;
}

}  // namespace

void addImport(CLI::App& app, int& exit) {
    CLI::App* group = app.add_subcommand("import", "Experiments from other programs' files");
    group->require_subcommand(1);
    CLI::App* command = group->add_subcommand("nnunet", "The network, patch and batch of nnU-Net's plans");
    const auto options = std::make_shared<ImportOptions>();
    options->precision = "fp16";
    addNnunetFileOptions(*command, options->file);
    command->add_option("--out", options->out, "Where to write the experiment")->required();
    command->add_flag("--no-deep-supervision", options->noDeepSupervision,
                      "Only the output of full resolution, as nnU-Net predicts");
    command->add_option("--precision", options->precision, "fp32, tf32, bf16 or fp16 (default: fp16)")
        ->check(CLI::IsMember(precisionWords()));
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(
        "Example: highwater-cli import nnunet nnUNetPlans.json --configuration 3d_fullres --out net.json");
    command->callback([options, &exit] { exit = import(*options); });
    addImportPytorch(*group, exit);
#ifndef HIGHWATER_WHEEL
    addImportOnnx(*group, exit);
#endif
}

}  // namespace highwater::cli
