#include "core/predict/predict.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/ask_cudnn.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/predict_json.h"
#include "app/cli/predict_where.h"
#include "app/cli/rank_options.h"
#include "app/cli/target_options.h"
#include "core/base/text.h"
#include "core/plan/device_fit.h"
#include "core/stack/json/json.h"
#include "core/stack/ranks.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

using base::Error;
using base::Result;

struct PredictOptions {
    std::string experiment, scan, library, largest, budget;
    TargetOptions target;
    bool all = false, json = false, gate = false;
    predict::Ranks ranks;
};

/// The exit code of a gate, with one line on stderr if it fails.
int gateOf(const PredictOptions& options, const Predicted& predicted) {
    const predict::Estimate peak = plan::countedPeak(predicted.prediction, predicted.target.gpu.has_value());
    const auto closed = [&](const std::string& limit) {
        const std::string range = rangeText(peak),
                          size = range.empty() ? base::formatBytes(peak.expected) : range;
        return complain(fmt::format("{} on {}: {} {}", limit, predicted.target.id,
                                    predicted.target.gpu ? "it reserves" : "its peak is", size),
                        kOutOfMemory);
    };
    if (predicted.budget && !predicted.withinBudget()) {
        return closed(
            fmt::format("the step is not certainly within {}", base::formatBytes(*predicted.budget)));
    }
    return options.gate && predicted.prediction.fits == predict::Fits::No ? closed("the step does not fit")
                                                                          : kDone;
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    return base::readNumber(text, value) && value > 0 ? std::optional(value) : std::nullopt;
}

/// Parses "width=64:512:8".
Result<predict::AxisScan> parseScan(const std::string& text) {
    const Error wrong{fmt::format(
        "--scan: \"{}\" is not a range; give AXIS=FROM:TO or AXIS=FROM:TO:STEP, such as width=64:512:8",
        base::oneLine(text, 60))};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        return wrong;
    }
    std::vector<std::int64_t> numbers;
    for (std::size_t begin = equals + 1; begin <= text.size();) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        const auto number = wholeNumber(std::string_view(text).substr(begin, end - begin));
        if (!number) {
            return wrong;
        }
        numbers.push_back(*number);
        begin = end + 1;
    }
    if (numbers.size() < 2 || numbers.size() > 3 || numbers[0] > numbers[1]) {
        return wrong;
    }
    predict::AxisScan scan;
    scan.axis = text.substr(0, equals);
    scan.from = numbers[0];
    scan.to = numbers[1];
    if (numbers.size() == 3) {
        scan.step = numbers[2];
    }
    return scan;
}

int run(const PredictOptions& options) {
    auto experiment = HIGHWATER_TRY_OR_COMPLAIN(stack::loadExperiment(options.experiment));
    experiment = stack::forEachRank(std::move(experiment), options.ranks.count);
    std::optional<base::Bytes> budget;
    if (!options.budget.empty()) {
        budget = HIGHWATER_TRY_OR_COMPLAIN(base::prefixed("--budget", base::parseBytes(options.budget)));
    }
    const auto info =
        HIGHWATER_TRY_OR_COMPLAIN(base::prefixed(options.experiment, stack::inferShapes(experiment)));
    if (options.all) {
        return predictEverywhere(experiment, options.target, options.json);
    }
    auto target = HIGHWATER_TRY_OR_COMPLAIN(chosenTarget(options.target, experiment));
    target.ranks = options.ranks;
    if (!options.library.empty() && !target.gpu) {
        return complain("--cudnn-library: is for a GPU; name its profile with --target, such as rtx4090");
    }
    if (!options.largest.empty()) {
        return predictLargest(experiment, target, options.largest, options.library, options.json);
    }
    auto prediction = HIGHWATER_TRY_OR_COMPLAIN(
        base::prefixed(options.experiment, predict::predict(experiment, info, target, {.inPython = true})));
    askCudnn(options.library, experiment, info, target, prediction);
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    Predicted predicted{info, target, prediction, experiment.step.batchSize};
    predicted.budget = budget;
    std::optional<predict::AxisScan> scan;
    std::optional<predict::AxisCurve> curve;
    if (!options.scan.empty()) {
        scan = HIGHWATER_TRY_OR_COMPLAIN(parseScan(options.scan));
        catchInterrupts();
        auto scanned = predict::scanAxis(experiment, target, *scan, &interruptFlag());
        if (interrupts() > 0) {
            return complain("interrupted", kInterrupted);
        }
        if (!scanned) {
            return complain("--scan: " + scanned.error().message);
        }
        curve = std::move(*scanned);
        predicted.scan = &*scan;
        predicted.curve = &*curve;
    }
    if (options.json) {
        printJson(predictionJson(predicted));
    } else {
        printPrediction(experiment.name, predicted);
    }
    return gateOf(options, predicted);
}

}  // namespace

void addPredict(CLI::App& app, int& exit) {
    CLI::App* command =
        app.add_subcommand("predict", "Estimate memory and time without running, for this machine or a GPU");
    const auto options = std::make_shared<PredictOptions>();
    command->add_option("EXPERIMENT", options->experiment, "The experiment's JSON file")->required();
    addTargetOptions(*command, options->target);
    command
        ->add_option("--scan", options->scan,
                     "Vary width, height, depth, length, patch or batch_size: width=64:512:8")
        ->type_name("AXIS=FROM:TO[:STEP]");
    CLI::Option* const all = command->add_flag(
        "--all", options->all,
        "Every device in one table: what it needs there, the odds, the time, the largest batch");
    CLI::Option* const largest =
        command
            ->add_option("--largest", options->largest,
                         "The largest batch_size or patch that fits the target, and the next larger one")
            ->type_name("AXIS");
    CLI::Option* const budget =
        command
            ->add_option("--budget", options->budget,
                         "The most that a step may need; exit code 3 unless it surely needs no more and fits")
            ->type_name("SIZE");
    budget->excludes(all)->excludes(largest);
    command->add_flag("--gate", options->gate, "Exit code 3 if the step does not fit the device")
        ->excludes(all)
        ->excludes(largest);
    for (CLI::Option* const one : {all, largest}) {
        for (const char* const other : {"--scan", "--all", "--largest"}) {
            if (one->get_name() != other) {
                one->excludes(command->get_option(other));
            }
        }
    }
    all->excludes(command->get_option("--target"));
    addRankOptions(*command, options->ranks)->excludes(all);
    addCudnnOption(*command, options->library);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer("Example: highwater-cli predict experiment.json --target rtx4090");
    command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace highwater::cli
