#include "core/stack/support.h"

#include <fmt/format.h>

#include <string_view>

namespace highwater::stack {

namespace {

using base::Error;

Error unavailable(std::string_view field, std::string_view instead) {
    return Error{fmt::format("{} is not available in this version; {}", field, instead)};
}

base::Status checkStepOnCpu(const Step& step) {
    if (step.precision != Precision::Fp32)
        return Error{
            "/step/precision other than fp32 is not available on the CPU; set it to \"fp32\" or run on a "
            "GPU"};
    if (step.channelsLast)
        return Error{"/step/channels_last is not available on the CPU; set it to false or run on a GPU"};
    return {};
}

base::Status checkData(const Experiment& e) {
    const auto* const scan = std::get_if<ScanInput>(&e.input);
    if (scan != nullptr && !scan->cohort.empty())
        return unavailable("/input/cohort", "give one case as /input/scan");
    return {};
}

}  // namespace

base::Status checkSupported(const Experiment& experiment, const StackInfo&, bool cuda) {
    if (auto status = checkData(experiment); !status)
        return status;
    return cuda ? base::Status{} : checkStepOnCpu(experiment.step);
}

}  // namespace highwater::stack
