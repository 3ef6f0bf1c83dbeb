#include "core/stack/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace highwater::stack {

using base::Error;

namespace {

Error lossError(const Experiment& e, const std::string& why) {
    return Error{fmt::format("loss {}: {}", lossName(e.loss), why)};
}

bool sameSpace(const Shape& a, const Shape& b) {
    return a.size() == b.size() && std::equal(a.begin() + 2, a.end(), b.begin() + 2);
}

std::string spaceText(const Shape& shape) {
    return base::formatShape(std::span(shape).subspan(2));
}

/// Returns the number of classes that the target determines; 0 if the stack's output determines it.
std::int64_t classesOf(const Target& target) {
    if (target.kind == Target::Kind::Threshold) {
        return 2;
    }
    return target.kind == Target::Kind::Classes ? target.classes : 0;
}

std::optional<Error> checkClasses(const Experiment& e, std::int64_t channels) {
    if (e.target.kind == Target::Kind::Input) {
        return lossError(e, "needs class labels; set the target to a threshold, labels or classes");
    }
    const std::int64_t classes = classesOf(e.target);
    const std::string instead = fmt::format(", or take the loss {}", lossName(binaryLoss(e.loss)));
    if (e.target.kind == Target::Kind::Classes && classes < 2) {
        return lossError(e, fmt::format("needs at least 2 classes, the target has {}", classes));
    }
    if (classes != 0 && channels != classes) {
        return lossError(e, fmt::format("the target has {} classes, the stack's output {}; give the "
                                        "last layer {} channels{}",
                                        classes, base::counted(channels, "channel"), classes,
                                        classes == 2 && channels == 1 ? instead : ""));
    }
    if (channels < 2) {
        return lossError(
            e, "needs one output channel a class, at least 2; the stack's output has 1; give it 2" + instead);
    }
    return std::nullopt;
}

/// The target is 0 or 1 at each position. A label map gives one channel of it; random labels give several.
std::optional<Error> checkBinary(const Experiment& e, std::int64_t channels) {
    if (e.target.kind == Target::Kind::Input) {
        return lossError(e, "needs labels of 0 and 1; set the target to a threshold, labels or 2 classes");
    }
    if (e.target.kind == Target::Kind::Classes && e.target.classes != 2) {
        return lossError(e, fmt::format("needs 2 classes, the target has {}", e.target.classes));
    }
    if (channels != 1 && e.target.kind != Target::Kind::Classes) {
        return lossError(
            e, fmt::format("a label map needs 1 output channel, the stack's output has {}; for several "
                           "take the target {{\"classes\": 2}}, random labels of each",
                           channels));
    }
    return std::nullopt;
}

std::optional<Error> checkReconstruction(const Experiment& e, const StackInfo& info) {
    const std::int64_t channels = info.output[1];
    if (e.target.kind == Target::Kind::Input && channels != info.input[1]) {
        return lossError(e, fmt::format("the target is the input with {}, the stack's output has {}",
                                        base::counted(info.input[1], "channel"), channels));
    }
    if (e.target.kind != Target::Kind::Input && channels != 1) {
        return lossError(
            e, fmt::format("a label map needs 1 output channel, the stack's output has {}", channels));
    }
    return std::nullopt;
}

/// An output of N, C needs one target for each sample, which cannot come from a voxel's label.
std::optional<Error> checkWithoutSpace(const Experiment& e, const StackInfo& info) {
    const std::string output = base::formatShape(info.output);
    if (usesDice(e.loss)) {
        return lossError(e, fmt::format("needs an output with spatial axes, not {}; use {}", output,
                                        wantsClasses(e.loss) ? "cross_entropy" : "bce"));
    }
    if (e.target.kind != Target::Kind::Classes) {
        return lossError(e, fmt::format("the stack's output {} has no spatial axes, so the target must be a "
                                        "number for each sample: {{\"classes\": N}}",
                                        output));
    }
    for (std::size_t i = 0; i < info.layers.size(); ++i) {
        if (info.layers[i].type == "head") {
            return Error{
                fmt::format("layer {} `head`: loss {} needs an output with spatial axes, not {}; use "
                            "the loss mean, or remove the head",
                            i + 1, lossName(e.loss), output)};
        }
    }
    return std::nullopt;
}

std::optional<Error> checkHeads(const Experiment& e, const StackInfo& info) {
    for (std::size_t i = 0; i < info.layers.size(); ++i) {
        if (const LayerInfo& layer = info.layers[i];
            layer.type == "head" && layer.output[1] != info.output[1]) {
            return Error{fmt::format(
                "layer {} `head`: loss {} needs as many channels as the stack's output, {}, not {}", i + 1,
                lossName(e.loss), info.output[1], layer.output[1])};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Error> checkLoss(const Experiment& e, const StackInfo& info) {
    if (e.loss == Loss::Mean && !e.step.softTargets) {
        return std::nullopt;
    }
    if (e.target.kind == Target::Kind::Labels && std::holds_alternative<SyntheticInput>(e.input)) {
        return Error{"target labels: a labels file needs a scan as input; use classes with a synthetic one"};
    }
    if (e.step.softTargets && !wantsClasses(e.loss)) {
        return lossError(
            e,
            "has no classes that soft_targets could turn into probabilities; set soft_targets to "
            "false");
    }
    if (info.output.front() != info.input.front()) {
        return lossError(
            e, fmt::format("the stack's output {} must have one entry a sample, {}; use the loss mean",
                           base::formatShape(info.output), info.input.front()));
    }
    const bool space = info.output.size() > 2;
    if (auto error = space ? std::nullopt : checkWithoutSpace(e, info)) {
        return error;
    }
    if (auto error = wantsClasses(e.loss)            ? checkClasses(e, info.output[1])
                     : comparesProbabilities(e.loss) ? checkBinary(e, info.output[1])
                                                     : checkReconstruction(e, info)) {
        return error;
    }
    if (!space) {
        return std::nullopt;
    }
    if (!sameSpace(info.input, info.output)) {
        return lossError(e, fmt::format("the stack's output must be as large as the target, {}, not {}",
                                        spaceText(info.input), spaceText(info.output)));
    }
    return checkHeads(e, info);
}

std::optional<Error> checkWindows(const Experiment& e, const StackInfo& info) {
    if (e.windows && info.output.size() == 2) {
        return Error{fmt::format("windows: the stack's output {} has no spatial axes; remove windows",
                                 base::formatShape(info.output))};
    }
    if (!e.windows || e.step.train || sameSpace(info.input, info.output)) {
        return std::nullopt;
    }
    return Error{fmt::format(
        "windows: outputs are blended, so the stack's output must be as large as a window, {}, not {}; add "
        "padding or upsample, or remove windows",
        spaceText(info.input), spaceText(info.output))};
}

std::optional<Error> checkSettings(const Experiment& e) {
    const Optimizer& o = e.optimizer;
    const auto notNegative = [](double v) { return std::isfinite(v) && v >= 0; };
    if (!notNegative(o.lr) || !notNegative(o.weightDecay) || !notNegative(o.momentum) ||
        !notNegative(o.eps)) {
        return Error{"optimizer: lr, weight_decay, momentum and eps must be numbers of at least 0"};
    }
    if (!(o.beta1 >= 0 && o.beta1 < 1 && o.beta2 >= 0 && o.beta2 < 1)) {
        return Error{"optimizer: betas must be from 0 to below 1"};
    }
    if (o.kind == Optimizer::Kind::Sgd && o.nesterov && o.momentum == 0) {
        return Error{"optimizer: nesterov needs a momentum above 0, such as 0.9"};
    }
    const Step& step = e.step;
    if (step.microBatches < 1 || step.batchSize % step.microBatches != 0) {
        return Error{fmt::format("step: micro_batches {} does not divide batch_size {}", step.microBatches,
                                 step.batchSize)};
    }
    if (step.checkpoint.kind == Checkpointing::Kind::Segments && step.checkpoint.segments < 1) {
        return Error{
            fmt::format("step: checkpoint needs at least 1 segment, not {}", step.checkpoint.segments)};
    }
    return std::nullopt;
}

std::string_view precisionName(Precision precision) {
    return kPrecisionNames[static_cast<std::size_t>(precision)];
}

bool offloads(const std::vector<PlanPart>& plan) {
    return std::any_of(plan.begin(), plan.end(),
                       [](const PlanPart& part) { return part.offload || offloads(part.inner); });
}

bool usesAutocast(Precision precision) {
    return precision == Precision::Bf16 || precision == Precision::Fp16;
}

bool isTrueHalf(Precision precision) {
    return precision == Precision::Bf16True || precision == Precision::Fp16True;
}

base::Bytes elementBytes(Precision precision) {
    return usesAutocast(precision) || isTrueHalf(precision) ? 2 : 4;
}

}  // namespace highwater::stack
