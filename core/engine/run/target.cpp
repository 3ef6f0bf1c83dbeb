#include "core/engine/run/target.h"

#include "core/engine/device/torch_compat.h"
#include "core/stack/shapes.h"

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
    wire::Predicted predicted;
    predicted.target = target->id;
    predicted.low = prediction->peakAllocated.low;
    predicted.expected = prediction->peakAllocated.expected;
    predicted.high = prediction->peakAllocated.high;
    predicted.peakByCategory = prediction->peakByCategory;
    predicted.stepLow = prediction->stepMs.low;
    predicted.step = prediction->stepMs.expected;
    predicted.stepHigh = prediction->stepMs.high;
    for (const predict::LayerPrediction& layer : prediction->layers) {
        predicted.activationBytes.push_back(layer.activationBytes);
    }
    predicted.guesses = prediction->guesses;
    if (prediction->asked > 0) {
        predicted.guesses.push_back("workspaces " + prediction->basis);
    }
    return predicted;
}

}  // namespace highwater::engine
