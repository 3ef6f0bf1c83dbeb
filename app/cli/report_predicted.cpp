#include "app/cli/report_predicted.h"

#include <memory>

#include "app/cli/ask_cudnn.h"
#include "app/cli/interrupt.h"
#include "app/cli/predict_where.h"
#include "core/base/file.h"
#include "core/plan/plan_choice.h"
#include "core/report/prediction_report.h"
#include "core/report/sweep_report.h"
#include "core/stack/json/json.h"

namespace highwater::cli {
namespace {

using base::Error;
using base::Result;
using base::Status;

Result<std::optional<base::Bytes>> budgetOf(const PredictedReport& options) {
    if (options.budget.empty()) {
        return std::optional<base::Bytes>();
    }
    const auto bytes = base::parseBytes(options.budget);
    return bytes ? Result<std::optional<base::Bytes>>(*bytes) : Error{"--budget: " + bytes.error().message};
}

Error named(const std::string& file, const Error& error) {
    return {file + ": " + error.message};
}

Status reportPrediction(const PredictedReport& options) {
    report::PredictionInput input;
    auto experiment = stack::loadExperiment(options.predict);
    const auto budget = budgetOf(options);
    if (!experiment || !budget) {
        return experiment ? budget.error() : experiment.error();
    }
    auto info = stack::inferShapes(*experiment);
    if (!info) {
        return named(options.predict, info.error());
    }
    auto target = chosenTarget(options.target, *experiment);
    if (!target) {
        return target.error();
    }
    auto prediction = predict::predict(*experiment, *info, *target, {.inPython = true});
    if (!prediction) {
        return named(options.predict, prediction.error());
    }
    askCudnn(options.library, *experiment, *info, *target, *prediction);
    if (interrupts() > 0) {
        return Error{"interrupted"};
    }
    input.experiment = std::move(*experiment);
    input.info = std::move(*info);
    input.target = std::move(*target);
    input.prediction = std::move(*prediction);
    input.budget = *budget;
    input.created = readableNow();
    return report::write(report::contentOf(input), options.out);
}

std::optional<predict::Prediction> stepOf(const stack::Experiment& experiment,
                                          const predict::Target& target) {
    const auto info = stack::inferShapes(experiment);
    auto prediction =
        info ? predict::predict(experiment, *info, target) : Result<predict::Prediction>(info.error());
    return prediction ? std::optional(std::move(*prediction)) : std::nullopt;
}

Status reportPlan(const PredictedReport& options) {
    const auto experiment = stack::loadExperiment(options.plan);
    const auto bytes = budgetOf(options);
    if (!experiment || !bytes) {
        return experiment ? bytes.error() : experiment.error();
    }
    auto target = chosenTarget(options.target, *experiment);
    if (!target) {
        return target.error();
    }
    report::PlanInput input;
    catchInterrupts();
    StatusLine status;
    const auto progress = [&](double share) { status.show(fmt::format("planning {:.0f} %", 100 * share)); };
    std::optional<CudnnQuestions> questions;
    plan::Trying trying{&interruptFlag(), {}};
    if (target->asked && questions.emplace(options.library).asks()) {
        trying.ask = [&](const predict::Prediction& prediction, predict::Target& taught) {
            return questions->ask(prediction, taught);
        };
    }
    input.budget = plan::budgetOn(*target, *bytes);
    auto curve = plan::planCurve(*experiment, *target, {}, trying, progress);
    auto best = curve ? plan::planUnder(*experiment, *target, input.budget, {}, trying, progress)
                      : Result<std::optional<plan::Plan>>(curve.error());
    status.clear();
    if (interrupts() > 0) {
        return Error{"interrupted"};
    }
    if (!best) {
        return named(options.plan, best.error());
    }
    input.capacity = curve->asItIs.fit.capacity;
    input.chosen = plan::bestPlan(*curve, *target, input.budget);
    if (*best) {
        input.chosen = plan::insertPlan(*curve, std::move(**best), *target);
    }
    input.curve = std::move(*curve);
    input.target = std::move(*target);
    input.before = stepOf(input.curve.asItIs.experiment, input.target);
    input.after = stepOf(input.curve.plans[input.chosen].experiment, input.target);
    input.created = readableNow();
    return report::write(report::contentOf(input), options.out);
}

Status reportEverywhere(const PredictedReport& options) {
    auto experiment = stack::loadExperiment(options.everywhere);
    if (!experiment) {
        return experiment.error();
    }
    if (const auto info = stack::inferShapes(*experiment); !info) {
        return named(options.everywhere, info.error());
    }
    report::DevicesInput input;
    for (Place& place : placesOf(*experiment, options.target)) {
        input.devices.push_back({std::move(place.name), std::move(place.id), std::move(place.libtorch),
                                 std::move(place.cudnn), std::move(place.fit)});
    }
    if (interrupts() > 0) {
        return Error{"interrupted"};
    }
    input.experiment = std::move(*experiment);
    input.created = readableNow();
    return report::write(report::contentOf(input), options.out);
}

Status reportSweep(const PredictedReport& options) {
    const auto text = base::readFile(options.sweep);
    if (!text) {
        return text.error();
    }
    auto result = study::parseSweepResult(*text, options.sweep);
    if (!result) {
        return result.error();
    }
    const report::SweepInput input{std::move(*result), readableNow()};
    return report::write(report::contentOf(input), options.out);
}

}  // namespace

int reportPredicted(const PredictedReport& options) {
    if (report::formatOf(options.out) == nullptr) {  // before a prediction that takes a while
        return complain(options.out + ": the name must end in " + report::endingsText());
    }
    const Status written = !options.predict.empty()      ? reportPrediction(options)
                           : !options.plan.empty()       ? reportPlan(options)
                           : !options.everywhere.empty() ? reportEverywhere(options)
                                                         : reportSweep(options);
    if (!written) {
        return complain(written.error().message, interrupts() > 0 ? kInterrupted : kBadInput);
    }
    printText("{}\n", std::filesystem::absolute(options.out).string());
    return kDone;
}

}  // namespace highwater::cli
