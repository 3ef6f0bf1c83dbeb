#include "core/plan/propose_patch.h"

#include <algorithm>

#include "core/stack/shapes.h"

namespace highwater::plan {

base::Bytes stepCapacity(const predict::Target& target) {
    const base::Bytes memory = target.gpu ? target.gpu->memory : target.memory;
    return std::max<base::Bytes>(0, memory - target.others);
}

Peak predictedPeak(const predict::Target& target) {
    return [target](const stack::Experiment& experiment) -> base::Result<base::Bytes> {
        const auto info = HIGHWATER_TRY(stack::inferShapes(experiment));
        predict::PredictOptions options;
        options.timeline = options.time = false;
        const auto prediction = HIGHWATER_TRY(predict::predict(experiment, info, target, options));
        const base::Bytes expected = target.gpu
                                         ? prediction.peakReserved.expected + target.gpu->context.expected
                                         : prediction.peakAllocated.expected;
        const base::Bytes capacity = stepCapacity(target);
        const bool unsure = capacity > 0 && prediction.fits != predict::Fits::Yes;
        return unsure ? std::max(expected, capacity + 1) : expected;
    };
}

}  // namespace highwater::plan
