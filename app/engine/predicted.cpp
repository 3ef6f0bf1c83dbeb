#include "app/engine/predicted.h"

#include "core/predict/predict.h"
#include "core/stack/shapes.h"

namespace highwater::engine_app {

std::optional<wire::Predicted> predictedFor(const stack::Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    if (!info)
        return std::nullopt;
    const auto target = predict::cpuTarget(experiment);
    if (!target)
        return std::nullopt;
    predict::PredictOptions options;
    options.timeline = false;
    const auto prediction = predict::predict(experiment, *info, *target, options);
    if (!prediction)
        return std::nullopt;
    wire::Predicted predicted;
    predicted.target = target->id;
    predicted.low = prediction->peakAllocated.low;
    predicted.expected = prediction->peakAllocated.expected;
    predicted.high = prediction->peakAllocated.high;
    predicted.peakByCategory = prediction->peakByCategory;
    predicted.stepLow = prediction->stepMs.low;
    predicted.step = prediction->stepMs.expected;
    predicted.stepHigh = prediction->stepMs.high;
    for (const predict::LayerPrediction& layer : prediction->layers)
        predicted.activationBytes.push_back(layer.activationBytes);
    predicted.guesses = prediction->guesses;
    return predicted;
}

}  // namespace highwater::engine_app
