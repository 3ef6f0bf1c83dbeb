#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/ask_cudnn.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/predict_where.h"
#include "app/cli/target_options.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/plan/make_fit.h"
#include "core/stack/json/json.h"
#include "core/study/toggles.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;
using base::Result;

struct PlanOptions {
    std::string experiment, budget, out, library;
    TargetOptions target;
    plan::PlanChoices choices;
    bool noMicroBatches = false, taskChanges = false, curve = false, json = false;
};

using plan::planJson;

std::vector<std::string> rowOf(const plan::Plan& plan) {
    return {base::formatBytes(plan.fit.peak.expected),
            rangeText(plan.fit.peak),
            plan::verdictText(plan.fit),
            stepText(plan.fit.stepMs),
            fmt::format("{:+.1f} %", 100 * plan.slower),
            plan::headline(plan)};
}

void printPlans(const std::vector<plan::Plan>& plans) {
    std::vector<std::vector<std::string>> rows = {{"needs", "estimate", "", "per step", "time", "plan"}};
    for (const plan::Plan& each : plans) {
        rows.push_back(rowOf(each));
    }
    printLines(table(rows, {0, 3, 4}));
}

/// One invocation of the command.
class Planning {
public:
    Planning(const PlanOptions& options, stack::Experiment experiment, predict::Target target,
             plan::Budget budget)
        : options_(options),
          experiment_(std::move(experiment)),
          target_(std::move(target)),
          budget_(budget),
          progress_([this](double share) { status_.show(fmt::format("planning {:.0f} %", 100 * share)); }) {}

    int run() {
        catchInterrupts();
        if (target_.asked && questions_.emplace(options_.library).asks()) {
            trying_.ask = [this](const predict::Prediction& prediction, predict::Target& taught) {
                return questions_->ask(prediction, taught);
            };
        }
        return options_.curve ? printCurve() : printPlan();
    }

private:
    int failed(const base::Error& error) {
        status_.clear();
        return interrupts() > 0 ? complain("interrupted", kInterrupted)
                                : complain(options_.experiment + ": " + error.message);
    }
    std::string device() const { return target_.gpu ? target_.gpu->name : "this CPU"; }
    void printTitle() const { printText("estimates · {} · {}\n", titleOf(experiment_), device()); }

    int printCurve() {
        const auto curve = plan::planCurve(experiment_, target_, options_.choices, trying_, progress_);
        if (!curve) {
            return failed(curve.error());
        }
        status_.clear();
        if (!options_.json) {
            printTitle();
            printPlans(curve->plans);
            if (curve->guessed) {
                printText("{}\n", guessedText(*curve->guessed));
            }
            return kDone;
        }
        Json plans = Json::array();
        for (const plan::Plan& each : curve->plans) {
            plans.push_back(planJson(each));
        }
        Json json = {
            {"target", target_.id}, {"as_it_is", planJson(curve->asItIs)}, {"curve", std::move(plans)}};
        if (curve->guessed) {
            json["guessed"] = planJson(*curve->guessed);
        }
        printJson(json);
        return kDone;
    }

    int printPlan() {
        const auto found =
            plan::planUnder(experiment_, target_, budget_, options_.choices, trying_, progress_);
        if (!found) {
            return failed(found.error());
        }
        if (!*found) {
            return nothingFits();
        }
        status_.clear();
        const plan::Plan& best = **found;
        if (!options_.out.empty()) {
            if (const auto saved = base::writeFileAtomically(options_.out, stack::toText(best.experiment));
                !saved) {
                return complain(saved.error().message);
            }
        }
        if (options_.json) {
            Json json = {{"target", target_.id}};
            json.update(planJson(best));
            printJson(json);
            return kDone;
        }
        printTitle();
        printText("{}\n", plan::headline(best));
        for (const std::string& line : best.changes) {
            printText("  {}\n", line);
        }
        printPlans({best});
        return kDone;
    }

    /// Says that less may be possible, and how to find out.
    std::string guessedText(const plan::Plan& guessed) const {
        const predict::Estimate& need = guessed.fit.peak;
        return fmt::format("less may be possible, but only based on guesses: {}, from {} to {} ({}); {}",
                           base::formatBytes(need.expected), base::formatBytes(need.low),
                           base::formatBytes(need.high), plan::headline(guessed), measuringText(guessed));
    }
    std::string measuringText(const plan::Plan& guessed) const {
        if (target_.gpu) {
            return "with a working cuDNN (--cudnn-library) this can be decided, and a run on such a GPU "
                   "measures it";
        }
        return fmt::format(
            "with step.micro_batches {} in the file, `highwater-cli devices --calibrate {}` measures its "
            "convolutions",
            guessed.experiment.step.microBatches, options_.experiment);
    }

    /// Reports the minimum possible, and what would fit if the task may change.
    int nothingFits() {
        const auto curve = plan::planCurve(experiment_, target_, options_.choices, trying_, progress_);
        if (!curve) {
            return failed(curve.error());
        }
        std::vector<plan::Plan> others;
        if (options_.taskChanges) {
            auto changed = plan::planTaskChanges(experiment_, target_, budget_, options_.choices, trying_,
                                                 study::otherTasks(experiment_, target_.gpu.has_value()));
            if (!changed) {
                return failed(changed.error());
            }
            others = std::move(*changed);
        }
        status_.clear();
        const plan::Plan& least = curve->plans.front();
        if (options_.json) {
            Json tasks = Json::array();
            for (const plan::Plan& each : others) {
                tasks.push_back(planJson(each));
            }
            Json json = {
                {"target", target_.id}, {"least", planJson(least)}, {"task_changes", std::move(tasks)}};
            if (curve->guessed) {
                json["guessed"] = planJson(*curve->guessed);
            }
            printJson(json);
        } else if (!others.empty()) {
            printTitle();
            for (const plan::Plan& each : others) {
                printText("{}\n", fmt::join(each.changes, "; "));
            }
            printPlans(others);
        }
        return complain(
            fmt::format("no plan is within {}; the least {}possible is {} ({}){}",
                        budget_ ? base::formatBytes(*budget_) : "the memory of " + device(),
                        curve->guessed ? "that is known to be " : "",
                        base::formatBytes(plan::counted(least.fit, target_)), plan::headline(least),
                        curve->guessed ? "; " + guessedText(*curve->guessed) : ""),
            kOutOfMemory);
    }

    const PlanOptions& options_;
    stack::Experiment experiment_;
    predict::Target target_;
    plan::Budget budget_;
    StatusLine status_;
    std::optional<CudnnQuestions> questions_;
    plan::Trying trying_{&interruptFlag(), {}};
    plan::PlanProgress progress_;
};

int run(const PlanOptions& options) {
    auto experiment = stack::loadExperiment(options.experiment);
    if (!experiment) {
        return complain(experiment.error().message);
    }
    auto target = chosenTarget(options.target, *experiment);
    if (!target) {
        return complain(target.error().message);
    }
    if (!options.library.empty() && !target->gpu) {
        return complain("--cudnn-library: is for a GPU; name its profile with --target, such as rtx4090");
    }
    plan::Budget budget;
    if (!options.budget.empty()) {
        const auto bytes = base::parseBytes(options.budget);
        if (!bytes) {
            return complain("--budget: " + bytes.error().message);
        }
        budget = plan::budgetOn(*target, *bytes);
    }
    return Planning(options, std::move(*experiment), std::move(*target), budget).run();
}

}  // namespace

void addPlan(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand(
        "plan", "Find what to recompute so that a step needs less memory for the least more time");
    const auto options = std::make_shared<PlanOptions>();
    command->add_option("EXPERIMENT", options->experiment, "The experiment's JSON file")->required();
    command
        ->add_option("--budget", options->budget,
                     "The most that a step may need (default: what the device has)")
        ->type_name("SIZE");
    addTargetOptions(*command, options->target);
    command->add_flag("--curve", options->curve, "Print all plans, from the least memory to the fastest");
    command->add_option("--out", options->out, "Write the experiment as the plan has it")->type_name("FILE");
    command->add_flag("--allow-task-changes", options->taskChanges,
                      "If nothing fits, say which smaller batch, patch or other network would");
    command->add_flag("--no-micro-batches", options->noMicroBatches, "Do not compute the batch in parts");
    command->add_flag("--inplace-abn", options->choices.inplaceAbn,
                      "Also put batch norms and leaky activations into one layer, which rounds differently");
    command->add_flag("--autocast", options->choices.autocast,
                      "Also compute in 16 bits on a GPU, which rounds differently");
    command->add_flag("--offload", options->choices.offload,
                      "Also let what layers keep wait in the host's memory, where a GPU runs");
    addCudnnOption(*command, options->library);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(
        "Example: highwater-cli plan experiment.json --budget 8GiB --target rtx3060 --out planned.json");
    command->callback([options, &exit] {
        options->choices.microBatches = !options->noMicroBatches;
        exit = run(*options);
    });
}

}  // namespace highwater::cli
