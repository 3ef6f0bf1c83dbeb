#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/onnx/onnx.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

struct PytorchCommand {
    std::string program, out;
    std::vector<std::string> settings;
    stack::PytorchOptions how;
    stack::OnnxInput input;
    bool json = false, onnx = false;
};

/// Adds "step.micro_batches=2" to the overriding keys. A value that is not JSON is taken as text.
base::Status addSetting(std::string_view pair, base::Json& settings) {
    const base::Error wrong{
        fmt::format("--set: \"{}\" is not KEY=VALUE, such as step.micro_batches=2", pair)};
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
        return wrong;
    }
    const std::string_view path = pair.substr(0, equals), text = pair.substr(equals + 1);
    base::Json* inner = &settings;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('.', at), path.size());
        if (end == at || !(inner->is_object() || inner->is_null())) {
            return wrong;
        }
        inner = &(*inner)[std::string(path.substr(at, end - at))];
        at = end + 1;
    }
    auto value = base::parseJson(text, "");
    *inner = value ? *std::move(value) : base::Json(text);
    return {};
}

void print(const PytorchCommand& options, const stack::PytorchImport& made) {
    const auto info = *stack::inferShapes(made.experiment);  // valid: the import has checked it
    if (options.json) {
        nlohmann::ordered_json json{{"experiment", options.out},
                                    {"name", made.experiment.name},
                                    {"parameters", info.parameters},
                                    {"input_shape", info.input}};
        if (info.targetClasses > 0) {
            json["classes"] = info.targetClasses;
        }
        json["notes"] = made.notes;
        json["parameter_names"] = made.parameters;
        return printJson(json);
    }
    const std::span<const std::int64_t> input = info.input;
    printText("{}: {}, {} parameters, input {}, batch {}\n", options.out, made.experiment.name,
              base::formatCount(info.parameters), base::formatShape(input.subspan(1)), input[0]);
    for (const std::string& note : made.notes) {
        printText("  note: {}\n", note);
    }
}

base::Result<stack::PytorchImport> import(const PytorchCommand& options) {
#ifdef HIGHWATER_WHEEL
    return stack::importPytorchFile(options.program, options.how);
#else
    return options.onnx ? stack::importOnnxFile(options.program, options.how, options.input)
                        : stack::importNetworkFile(options.program, options.how, options.input);
#endif
}

int importProgram(PytorchCommand& options) {
    for (const std::string& pair : options.settings) {
        HIGHWATER_TRY_OR_COMPLAIN(addSetting(pair, options.how.settings));
    }
    const auto made = HIGHWATER_TRY_OR_COMPLAIN(import(options));
    if (options.out.empty()) {
        for (const std::string& note : made.notes) {
            printText(stderr, "note: {}\n", note);
        }
        printJsonText(made.text);
        return kDone;
    }
    HIGHWATER_TRY_OR_COMPLAIN(base::writeFileAtomically(options.out, made.text));
    print(options, made);
    return kDone;
}

/// Adds the options that archives and .onnx files share, and sets the command's callback.
void finish(CLI::App* command, const std::shared_ptr<PytorchCommand>& options, int& exit) {
    CLI::Option* out = command->add_option("--out", options->out,
                                           "Where to write the experiment (default: on standard output)");
    command->add_option("--name", options->how.name, "The experiment's name (default: the network's class)");
    command->add_option("--output", options->how.output,
                        "The output to train on, if there are several: its key or index (default: the "
                        "largest, the others are heads)");
    command->add_option(
        "--loss", options->how.loss,
        "mse, cross_entropy, dice, dice_cross_entropy or mean; of channels apart bce, sigmoid_dice or "
        "sigmoid_dice_bce (default: cross_entropy where the output is a map of classes, mse where it is like "
        "the input, else mean)");
    command->add_option("--classes", options->how.classes, "Random labels with this many classes")
        ->check(CLI::Range(1, 65536));
    command
        ->add_option("--scan", options->how.scans, "A scan as input; give the option once for each channel")
        ->allow_extra_args(false);
    command->add_option("--labels", options->how.labels, "The scan's label map");
    command->add_option("--optimizer", options->how.optimizer, "sgd, adam or adamw (default: adam)");
    command->add_option(
        "--precision", options->how.precision,
        "fp32, tf32, bf16, fp16, bf16_true or fp16_true (default: as the parameters are; fp32 with TF32 in "
        "convolutions, as PyTorch does)");
    command
        ->add_option(
            "--set", options->settings,
            "KEY=VALUE, any other key of the file: step.micro_batches=2; give the option once for each")
        ->allow_extra_args(false);
    command->add_flag("--json", options->json, "Print one JSON object about what was written")->needs(out);
    command->callback([options, &exit] { exit = importProgram(*options); });
}

/// Options for what an .onnx file may leave open.
void addInput(CLI::App* command, const std::shared_ptr<PytorchCommand>& options) {
    CLI::Option* input =
        command
            ->add_option("--input", options->input.shape,
                         "The shape of a batch, N,C and the sizes, if an .onnx file leaves it open")
            ->delimiter(',')
            ->check(CLI::Range(std::int64_t{1}, stack::kMostSize));
    command->add_option("--batch", options->input.batch, "The batch size, if an .onnx file leaves it open")
        ->check(CLI::Range(std::int64_t{1}, stack::kMostSize))
        ->excludes(input);
}

}  // namespace

void addImportPytorch(CLI::App& import, int& exit) {
    CLI::App* command =
        import.add_subcommand("pytorch", "A network written by torch.export.save (.pt2), or an .onnx file");
    const auto options = std::make_shared<PytorchCommand>();
    command
        ->add_option("PROGRAM", options->program,
                     "The file written by torch.export.save or torch.onnx.export")
        ->required();
    addInput(command, options);
    finish(command, options, exit);
    command->footer("Example: highwater-cli import pytorch net.pt2 --out net.json");
}

void addImportOnnx(CLI::App& import, int& exit) {
    CLI::App* command = import.add_subcommand("onnx", "A network written by torch.onnx.export (.onnx)");
    const auto options = std::make_shared<PytorchCommand>();
    options->onnx = true;
    command->add_option("FILE", options->program, "The file written by torch.onnx.export")->required();
    addInput(command, options);
    finish(command, options, exit);
    command->footer("Example: highwater-cli import onnx net.onnx --out net.json");
}

}  // namespace highwater::cli
