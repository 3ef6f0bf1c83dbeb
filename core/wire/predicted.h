#pragma once

#include <string>

#include "core/wire/events.h"

namespace highwater::wire {

/// A predict::Prediction for `target` as a run's result has it. A template, because this folder does not know
/// core/predict.
template <class Prediction>
Predicted predictedOf(const Prediction& prediction, std::string target) {
    Predicted predicted;
    predicted.target = std::move(target);
    predicted.low = prediction.peakAllocated.low;
    predicted.expected = prediction.peakAllocated.expected;
    predicted.high = prediction.peakAllocated.high;
    predicted.peakByCategory = prediction.peakByCategory;
    predicted.stepLow = prediction.stepMs.low;
    predicted.step = prediction.stepMs.expected;
    predicted.stepHigh = prediction.stepMs.high;
    for (const auto& layer : prediction.layers) {
        predicted.activationBytes.push_back(layer.activationBytes);
    }
    predicted.guesses = prediction.guesses;
    if (prediction.asked > 0) {
        predicted.guesses.push_back("workspaces " + prediction.basis);
    }
    return predicted;
}

}  // namespace highwater::wire
