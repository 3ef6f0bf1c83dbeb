#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

using base::Error;

base::Status checkStepOnCpu(const Step& step) {
    if (step.precision != Precision::Fp32) {
        return Error{
            "/step/precision other than fp32 is not available on the CPU; set it to \"fp32\" or run on a "
            "GPU"};
    }
    if (step.channelsLast) {
        return Error{"/step/channels_last is not available on the CPU; set it to false or run on a GPU"};
    }
    if (step.train && step.checkpoint.kind == Checkpointing::Kind::Plan && offloads(step.checkpoint.plan)) {
        return Error{
            "/step/checkpoint/plan offloads what a GPU keeps to the host's memory, where a run on the CPU "
            "has it "
            "already; run on a GPU, or take \"offload\" out of the plan"};
    }
    return {};
}

/// These layers' own kernels have fp32 parameters; the mask contains fp32 numbers, which no matrix product
/// combines with other types.
base::Status checkTrueHalf(const StackInfo& info, Precision precision) {
    for (std::size_t i = 0; i < info.layers.size(); ++i) {
        const std::string& type = info.layers[i].type;
        const bool mask = type == "window_mask";
        if (mask || type == "inplace_abn" || type == "custom_conv") {
            return Error{fmt::format(
                "layer {} `{}` has fp32 {}, so /step/precision cannot be \"{}\"; set it to \"{}\"", i + 1,
                type, mask ? "numbers" : "parameters", precisionName(precision),
                precision == Precision::Fp16True ? "fp16" : "bf16")};
        }
    }
    return {};
}

void countUnknown(const std::vector<Layer>& layers, std::vector<std::pair<std::string, int>>& counts) {
    for (const Layer& layer : layers) {
        if (const auto* const block = std::get_if<Block>(&layer.op)) {
            countUnknown(block->layers, counts);
        } else if (const auto* const unknown = std::get_if<Unknown>(&layer.op)) {
            const auto found = std::find_if(counts.begin(), counts.end(), [unknown](const auto& each) {
                return each.first == unknown->operatorName;
            });
            if (found == counts.end()) {
                counts.emplace_back(unknown->operatorName, 1);
            } else {
                ++found->second;
            }
        }
    }
}

}  // namespace

std::vector<std::string> unknownOperators(const std::vector<Layer>& stack) {
    std::vector<std::pair<std::string, int>> counts;
    countUnknown(stack, counts);
    std::vector<std::string> texts;
    for (const auto& [name, count] : counts) {
        const std::string shown = name.empty() ? "an operator without a name" : base::oneLine(name, 60);
        texts.push_back(count == 1 ? shown : fmt::format("{} ({} times)", shown, count));
    }
    return texts;
}

base::Status checkSupported(const Experiment& experiment, const StackInfo& info, bool cuda) {
    if (const auto unknown = unknownOperators(experiment.stack); !unknown.empty()) {
        return Error{
            fmt::format("no layer represents {}: a stack with it can be predicted from below, but not run; "
                        "replace the layer",
                        fmt::join(unknown, ", "))};
    }
    return checkPredictable(experiment, info, cuda);
}

base::Status checkPredictable(const Experiment& experiment, const StackInfo& info, bool cuda) {
    if (!cuda) {
        return checkStepOnCpu(experiment.step);
    }
    const Precision precision = experiment.step.precision;
    return isTrueHalf(precision) ? checkTrueHalf(info, precision) : base::Status{};
}

}  // namespace highwater::stack
