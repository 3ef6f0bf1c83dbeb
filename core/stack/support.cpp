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

}  // namespace

base::Status checkSupported(const Experiment& experiment, const StackInfo&, bool cuda) {
    return cuda ? base::Status{} : checkStepOnCpu(experiment.step);
}

}  // namespace highwater::stack
