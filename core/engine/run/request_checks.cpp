#include "core/engine/run/request_checks.h"

#include <fmt/format.h>

#include "core/engine/data/data_checks.h"
#include "core/engine/layers/own_kernels.h"
#include "core/engine/ranks/data_parallel.h"
#include "core/stack/ranks.h"

namespace highwater::engine {

base::Status checkRequest(const RunRequest& request, const stack::StackInfo& info, const Device& device) {
    if (request.steps < 1) {
        return base::Error{fmt::format("steps must be at least 1, not {}", request.steps)};
    }
    if (request.warmup < 0) {
        return base::Error{fmt::format("warmup must be at least 0, not {}", request.warmup)};
    }
    if (request.budget && *request.budget < 1) {
        return base::Error{fmt::format("the budget must be at least 1 B, not {}", *request.budget)};
    }
    HIGHWATER_TRY(stack::checkSupported(request.experiment, info, device.cuda));
    if (request.ranks) {
        if (device.cuda) {
            return base::Error{
                "--ranks runs on the CPU; what each rank needs on a GPU is predicted: `highwater-cli predict "
                "--ranks N --target PROFILE`"};
        }
        if (const std::string missing = dataParallelMissing(); !missing.empty()) {
            return base::Error{missing};
        }
        HIGHWATER_TRY(stack::checkRanks(request.experiment, info));
    }
    if (const auto missing = missingKernels(request.experiment.stack, device)) {
        return base::Error{*missing};
    }
    return checkVolumes(request, info);
}

}  // namespace highwater::engine
