#include "core/predict/predict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/predict/fit/assess.h"
#include "core/predict/fit/roofline.h"
#include "core/predict/fit/summary.h"
#include "core/predict/fit/transfers.h"
#include "core/predict/ghost/walk.h"
#include "core/predict/workspaces/workspace.h"

namespace highwater::predict {

namespace {

/// The texts of Prediction::unknown.
std::vector<std::string> notCounted(const stack::Experiment& experiment) {
    std::vector<std::string> all = stack::unknownOperators(experiment.stack);
    if (const std::int64_t outputs = experiment.leftOut.outputs; outputs > 0) {
        all.push_back(outputs == 1 ? "an output that was left out"
                                   : fmt::format("{} outputs that were left out", outputs));
    }
    if (const std::int64_t parameters = experiment.leftOut.parameters; parameters > 0) {
        all.push_back(base::formatCount(parameters) + " parameters that were left out");
    }
    return all;
}

/// Adds which of the sizes are guesses.
void addGuesses(const stack::Experiment& experiment, const Walk& walk, const Target& target,
                Prediction& prediction) {
    if (!prediction.unknown.empty()) {
        prediction.guesses.push_back(
            fmt::format("no layer represents {}: its memory is not counted, and all figures are lower bounds",
                        fmt::join(prediction.unknown, ", ")));
    }
    if (prediction.atMost()) {
        prediction.guesses.push_back(
            fmt::format("{} of the network {} not recomputed here, and all figures are upper bounds",
                        base::counted(prediction.checkpointsLeftOut, "activation checkpoint"),
                        prediction.checkpointsLeftOut == 1 ? "is" : "are"));
    }
    if (target.asksLaterCudnn() && walk.passesAsked > 0) {
        prediction.guesses.push_back(
            fmt::format("PyTorch {} comes with cuDNN {}, the answers are those of {}: another version may "
                        "choose other plans, so ranges reach down to no workspace",
                        toText(target.versions.libtorch), toText(bundledCudnn(target.versions.libtorch)),
                        toText(target.versions.cudnn)));
    }
    if (target.gpu && experiment.backend.benchmark && walk.convolutionPasses > 0 && searchIsUnknown(target)) {
        prediction.guesses.push_back(
            fmt::format("it is not known what cuDNN {} uses while benchmark times its plans: ranges end at "
                        "all free memory",
                        toText(std::min(target.versions.cudnn, bundledCudnn(target.versions.libtorch)))));
    }
    prediction.guesses.insert(prediction.guesses.end(), target.notes.begin(), target.notes.end());
    prediction.guesses.insert(prediction.guesses.end(), walk.guesses.begin(), walk.guesses.end());
    const std::size_t guessed = walk.passesWithoutRow;
    if (guessed == 0) {
        return;
    }
    if (target.gpu) {
        prediction.guesses.push_back(fmt::format(
            "workspaces of {} of {} convolution passes have not been measured on the {}, and cuDNN has not "
            "answered for them",
            guessed, walk.convolutionPasses, target.gpu->name));
    } else {
        prediction.guesses.push_back(
            fmt::format("the temporary memory of {} of {} convolution passes has not been measured on this "
                        "kind of machine; `highwater-cli devices --calibrate` does",
                        guessed, walk.convolutionPasses));
    }
}

std::string basisOf(const Walk& walk, const Target& target) {
    if (!target.gpu || walk.convolutionPasses == 0) {
        return "";
    }
    std::vector<std::string> kinds;
    if (const std::size_t known = walk.convolutionPasses - walk.passesAsked - walk.passesWithoutRow;
        known > 0) {
        kinds.push_back(fmt::format("{} by rule or measured", known));
    }
    if (walk.passesAsked > 0) {
        kinds.push_back(
            fmt::format("{} asked of cuDNN {}{}", walk.passesAsked, toText(target.versions.cudnn),
                        target.asksLaterCudnn()
                            ? fmt::format(" in place of PyTorch {}'s {}", toText(target.versions.libtorch),
                                          toText(bundledCudnn(target.versions.libtorch)))
                            : ""));
    }
    if (walk.passesWithoutRow > 0) {
        kinds.push_back(fmt::format("{} guessed", walk.passesWithoutRow));
    }
    return fmt::format("of {} convolution passes: {}", walk.convolutionPasses, fmt::join(kinds, ", "));
}

}  // namespace

base::Result<Prediction> predict(const stack::Experiment& experiment, const stack::StackInfo& info,
                                 const Target& target, const PredictOptions& options) {
    const auto walked = HIGHWATER_TRY(walk(experiment, info, target));
    Prediction prediction;
    prediction.unknown = notCounted(experiment);
    prediction.checkpointsLeftOut = experiment.leftOut.checkpoints;
    summarize(walked, info, prediction);
    prediction.onHost = mostOnHost(walked);
    addGuesses(experiment, walked, target, prediction);
    prediction.basis = basisOf(walked, target);
    prediction.compared = target.compared;
    if (!target.gpu) {
        assessCpu(target, prediction);
    } else if (options.reserved) {
        assessGpu(walked, target, prediction, options.odds);
    }
    if (target.gpu && options.inPython) {
        Target python = target;
        python.inPython = true;
        const auto again = HIGHWATER_TRY(walk(experiment, info, python));
        prediction.maxMemoryAllocated = wholeBlocks(again, python, prediction);
    }
    std::vector<TimeEstimate> times;
    if (options.time) {
        times = operatorTimes(walked, target);
        estimateTime(walked, target, prediction);
    }
    sumBlocks(info, prediction.layers);
    if (options.timeline) {
        prediction.timeline = timelineOf(walked, times);
    }
    if (options.trace != nullptr) {
        writeTrace(walked, info, times, *options.trace);
        options.trace->title = "predicted for " + target.id;
    }
    if (target.gpu && options.cliffs) {
        prediction.cliffs = findCliffs(experiment, info, target.versions);
    }
    return prediction;
}

}  // namespace highwater::predict
