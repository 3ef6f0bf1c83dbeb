#include <fmt/format.h>

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
    return {};
}

/// Their own kernels have fp32 parameters.
base::Status checkTrueHalf(const StackInfo& info, Precision precision) {
    for (std::size_t i = 0; i < info.layers.size(); ++i) {
        const std::string& type = info.layers[i].type;
        if (type == "inplace_abn" || type == "custom_conv") {
            return Error{fmt::format(
                "layer {} `{}` has fp32 parameters, so /step/precision cannot be \"{}\"; set it to \"{}\"",
                i + 1, type, precisionName(precision), precision == Precision::Fp16True ? "fp16" : "bf16")};
        }
    }
    return {};
}

}  // namespace

base::Status checkSupported(const Experiment& experiment, const StackInfo& info, bool cuda) {
    if (!cuda) {
        return checkStepOnCpu(experiment.step);
    }
    const Precision precision = experiment.step.precision;
    return isTrueHalf(precision) ? checkTrueHalf(info, precision) : base::Status{};
}

}  // namespace highwater::stack
