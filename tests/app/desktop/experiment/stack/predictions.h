#pragma once

#include "core/predict/predict.h"

/// Made-up predictions, for tests and for pictures.
namespace highwater::testing {

/// For this many layers, each adding 1 MiB more than the previous one and holding a tenth of the peak.
inline predict::Prediction predictionOf(std::size_t layers) {
    predict::Prediction p;
    p.peakAllocated = {90 * base::kMiB, 100 * base::kMiB, 120 * base::kMiB};
    for (std::size_t i = 0; i < layers; ++i) {
        predict::LayerPrediction layer;
        layer.activationBytes = static_cast<base::Bytes>(i) * base::kMiB;
        layer.atPeak = 10 * base::kMiB;
        layer.forwardBytes = predict::Estimate::of(base::kMiB);
        layer.backwardBytes = {base::kMiB, 2 * base::kMiB, 4 * base::kMiB};
        layer.forwardMs = {1, 2, 3};
        layer.backwardMs = {2, 4, 6};
        p.layers.push_back(layer);
    }
    return p;
}

inline predict::Cliff cliffAt(int layer, base::Bytes bytes = 108 * base::kGiB) {
    predict::Cliff cliff;
    cliff.layer = layer;
    cliff.bytes = bytes;
    cliff.message = "width 362: the input has more than 2^31 elements, so that cuDNN is <not> used";
    cliff.safe = {{"width", {352, 480}}, {"batch_size", {1}}};
    return cliff;
}

}  // namespace highwater::testing
