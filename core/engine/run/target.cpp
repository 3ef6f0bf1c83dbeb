#include "core/engine/run/target.h"

#include "core/engine/device/torch_compat.h"
#include "core/stack/shapes.h"
#include "core/wire/predicted.h"

namespace highwater::engine {

base::Result<predict::Target> targetOf(const wire::Environment& environment,
                                       const stack::Experiment& experiment, const predict::Ranks& ranks) {
    if (environment.architecture == 0) {
        auto target = predict::cpuTarget(experiment);
        if (target) {
            target->ranks = ranks;
        }
        return target;
    }
    predict::GpuPresent gpu{
        environment.deviceName, environment.memoryBytes, environment.architecture, libtorchVersion(), {}};
    if (const auto cudnn = environment.versions.find("cudnn"); cudnn != environment.versions.end()) {
        if (const auto version = predict::parseCudnnVersion(cudnn->second)) {
            gpu.cudnn = *version;
        }
    }
    return predict::gpuTarget(gpu, experiment);
}

std::optional<wire::Predicted> predictedFor(const wire::Environment& environment,
                                            const stack::Experiment& experiment,
                                            const predict::Ranks& ranks) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return std::nullopt;
    }
    const auto target = targetOf(environment, experiment, ranks);
    if (!target) {
        return std::nullopt;
    }
    predict::PredictOptions options;
    options.timeline = false;
    const auto prediction = predict::predict(experiment, *info, *target, options);
    if (!prediction) {
        return std::nullopt;
    }
    return wire::predictedOf(*prediction, target->id);
}

}  // namespace highwater::engine
