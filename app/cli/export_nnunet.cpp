#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/ask_cudnn.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/nnunet_options.h"
#include "app/cli/output.h"
#include "app/cli/predict_where.h"
#include "app/cli/target_options.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/plan/module_plan.h"
#include "core/stack/export/export_nnunet.h"
#include "core/stack/nnunet/modules.h"
#include "core/stack/nnunet/nnunet.h"

namespace highwater::cli {
namespace {

using base::Error;
using base::Result;
using Json = nlohmann::ordered_json;

struct NnunetExportOptions {
    NnunetFileOptions file;
    std::string budget, out, library, name = "highwater";
    TargetOptions target;
    bool noMicroBatches = false, json = false;
};

std::vector<plan::NamedPart> modulesOf(const stack::Experiment& experiment, stack::NnunetGrain grain) {
    std::vector<plan::NamedPart> parts;
    for (stack::NnunetModule& module : stack::nnunetModules(experiment, grain)) {
        parts.push_back({std::move(module.name), module.first, module.last});
    }
    return parts;
}

/// The plan in words; what it recomputes are modules, not layers.
std::string planText(const plan::ModulePlan& plan) {
    std::vector<std::string> words = plan.plan.settings;
    if (!plan.recomputed.empty()) {
        const auto count = static_cast<std::int64_t>(plan.recomputed.size());
        words.push_back("recompute " + base::counted(count, "module"));
    }
    if (words.empty()) {
        return "unchanged";
    }
    words.push_back(fmt::format("{:+.0f} % time", 100 * plan.plan.slower));
    return fmt::format("{}", fmt::join(words, ", "));
}

/// A word of a shell command; quoted if it has to be.
std::string shellWord(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_-./").find(c) != std::string_view::npos;
    });
    if (plain) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

/// The files' paths; an error if one exists already.
Result<std::pair<std::filesystem::path, std::filesystem::path>> filesOf(const std::filesystem::path& folder,
                                                                        const stack::NnunetExport& made) {
    const std::pair files{folder / (made.plansName + ".json"), folder / (made.trainer + ".py")};
    for (const auto& file : {files.first, files.second}) {
        std::error_code ignored;
        if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
            return Error{file.string() + ": already exists; remove it, or choose another name (--name)"};
        }
    }
    return files;
}

/// One invocation of the command.
class NnunetExporting {
public:
    explicit NnunetExporting(const NnunetExportOptions& options) : options_(options) {}

    int run() {
        HIGHWATER_TRY_OR_COMPLAIN(prepare());
        catchInterrupts();
        plan::Trying trying{&interruptFlag(), {}};
        std::optional<CudnnQuestions> questions;
        if (target_.asked && questions.emplace(options_.library).asks()) {
            trying.ask = [&](const predict::Prediction& prediction, predict::Target& taught) {
                return questions->ask(prediction, taught);
            };
        }
        plan::PlanChoices choices;
        choices.microBatches = !options_.noMicroBatches && !import_.lossOfWholeBatch;
        status_.show("planning");
        const auto plans = plan::planModules(import_.experiment, target_, budget_,
                                             {modulesOf(import_.experiment, stack::NnunetGrain::Stages),
                                              modulesOf(import_.experiment, stack::NnunetGrain::Blocks)},
                                             choices, trying);
        status_.clear();
        if (!plans) {
            return interrupts() > 0 ? complain("interrupted", kInterrupted)
                                    : complain(options_.file.plans + ": " + plans.error().message);
        }
        return plans->best ? write(*plans->best) : nothingFits(plans->least);
    }

private:
    base::Status prepare() {
        HIGHWATER_TRY(base::prefixed("--name", stack::checkNnunetName(options_.name)));
        configuration_ = HIGHWATER_TRY(chosenConfiguration(options_.file));
        stack::NnunetOptions how;
        how.configuration = configuration_;
        how.classes = options_.file.classes;
        how.inputChannels = options_.file.channels;
        import_ = HIGHWATER_TRY(stack::importNnunetFile(options_.file.plans, how));
        auto target = HIGHWATER_TRY(chosenTarget(options_.target, import_.experiment));
        if (!target.gpu) {
            return Error{"--gpu: cpu is no GPU; `highwater-cli devices` lists the profiles"};
        }
        target_ = std::move(target);
        if (!options_.budget.empty()) {
            const auto bytes = HIGHWATER_TRY(base::prefixed("--budget", base::parseBytes(options_.budget)));
            budget_ = plan::budgetOn(target_, bytes);
        }
        return {};
    }

    int nothingFits(const plan::ModulePlan& least) const {
        std::string why;
        if (import_.lossOfWholeBatch && !options_.noMicroBatches) {
            why = "; micro-batches would change the loss of these plans (batch_dice, or an ignore label)";
        }
        if (plan::usesBatchStatistics(import_.experiment.stack)) {
            why += "; batch norms would count a recomputed batch twice";
        }
        return complain(
            fmt::format("no plan is within {}; the least possible is {} ({}){}",
                        budget_ ? base::formatBytes(*budget_) : "the memory of " + target_.gpu->name,
                        base::formatBytes(plan::counted(least.plan.fit, target_)), planText(least), why),
            kOutOfMemory);
    }

    int write(const plan::ModulePlan& best) const {
        const stack::Experiment& planned = best.plan.experiment;
        if (planned == import_.experiment) {
            return fitsAlready(best);
        }
        stack::NnunetChanges changes{configuration_, target_.gpu->name, best.recomputed,
                                     planned.step.microBatches, options_.name};
        const auto text = base::readFile(options_.file.plans);
        const auto made =
            HIGHWATER_TRY_OR_COMPLAIN(text ? stack::exportNnunet(*text, options_.file.plans, changes)
                                           : Result<stack::NnunetExport>(text.error()));
        const auto files = HIGHWATER_TRY_OR_COMPLAIN(filesOf(options_.out, made));
        for (const auto& [file, content] :
             {std::pair(files.first, made.plansText), std::pair(files.second, made.trainerText)}) {
            HIGHWATER_TRY_OR_COMPLAIN(base::writeInFolder(file, content));
        }
        const std::string allocator = planned.backend.allocConf;
        if (options_.json) {
            Json json = {{"target", target_.id},
                         {"plans", files.first.string()},
                         {"trainer", files.second.string()},
                         {"plans_name", made.plansName},
                         {"trainer_name", made.trainer},
                         {"configuration", configuration_},
                         {"recomputed", best.recomputed},
                         {"micro_batches", changes.microBatches},
                         {"alloc_conf", allocator},
                         {"headline", planText(best)},
                         {"slower", best.plan.slower}};
            json.update(fitJson(best.plan.fit));
            printJson(json);
            return kDone;
        }
        printResult(best);
        for (const std::string& module : best.recomputed) {
            printText("  recompute {}\n", module);
        }
        printText("{}\n{}\n\nTo train with it:\n", files.first.string(), files.second.string());
        const std::string dataset = shellWord(made.dataset.empty() ? "DATASET" : made.dataset);
        printText("  cp {} \"$nnUNet_preprocessed\"/{}/\n", shellWord(files.first.string()), dataset);
        printText("  export nnUNet_extTrainer={}\n",
                  shellWord(std::filesystem::absolute(options_.out).lexically_normal().string()));
        if (!allocator.empty()) {
            printText("  export PYTORCH_CUDA_ALLOC_CONF={}\n", allocator);
        }
        printText("  nnUNetv2_train {} {} 0 -p {} -tr {}\n", dataset, shellWord(configuration_),
                  made.plansName, made.trainer);
        return kDone;
    }

    void printResult(const plan::ModulePlan& best) const {
        const std::string range = rangeText(best.plan.fit.peak);
        printText("estimates · {} · {}\n{}: {}{}, {}\n", titleOf(import_.experiment), target_.gpu->name,
                  planText(best), base::formatBytes(best.plan.fit.peak.expected),
                  range.empty() ? "" : " (" + range + ")", plan::verdictText(best.plan.fit));
    }

    int fitsAlready(const plan::ModulePlan& best) const {
        if (options_.json) {
            Json json = {{"target", target_.id},
                         {"configuration", configuration_},
                         {"headline", planText(best)},
                         {"slower", best.plan.slower}};
            json.update(fitJson(best.plan.fit));
            printJson(json);
            return kDone;
        }
        printResult(best);
        printText("nothing was written: nnU-Net's own trainer fits\n");
        return kDone;
    }

    const NnunetExportOptions& options_;
    stack::NnunetImport import_;
    std::string configuration_;
    predict::Target target_;
    plan::Budget budget_;
    StatusLine status_;
};

}  // namespace

void addExportNnunet(CLI::App& group, int& exit) {
    CLI::App* command =
        group.add_subcommand("nnunet", "A plans file and a trainer with which nnU-Net trains in less memory");
    const auto options = std::make_shared<NnunetExportOptions>();
    addNnunetFileOptions(*command, options->file);
    options->target.option = "--gpu";
    command->add_option("--gpu", options->target.target, "The GPU's profile: see `highwater-cli devices`")
        ->required();
    addTargetOptions(*command, options->target);
    command
        ->add_option("--budget", options->budget, "The most that a step may need (default: what the GPU has)")
        ->type_name("SIZE");
    command->add_option("--out", options->out, "The folder for the two files")
        ->type_name("FOLDER")
        ->required();
    command->add_option("--name", options->name,
                        "The end of the plans' and the trainer's name (default: highwater)");
    command->add_flag("--no-micro-batches", options->noMicroBatches,
                      "Do not compute the batch in parts, which rounds the gradients differently");
    addCudnnOption(*command, options->library);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(
        "Example: highwater-cli export nnunet nnUNetPlans.json --configuration 3d_fullres --gpu rtx3060 "
        "--out "
        "trainers");
    command->callback([options, &exit] { exit = NnunetExporting(*options).run(); });
}

}  // namespace highwater::cli
