#pragma once

#include "core/base/result.h"
#include "core/predict/predict.h"
#include "core/stack/experiment.h"
#include "core/wire/events.h"

namespace highwater::engine {

/// The predictor's target for this device and this build's LibTorch: the CPU with its calibration, or the GPU
/// with its software. `environment`: as run() reports it for the device. Error if the predictor has no such
/// target.
base::Result<predict::Target> targetOf(const wire::Environment& environment,
                                       const stack::Experiment& experiment, const predict::Ranks& ranks = {});

/// The prediction for a run; std::nullopt if the predictor cannot make one.
std::optional<wire::Predicted> predictedFor(const wire::Environment& environment,
                                            const stack::Experiment& experiment,
                                            const predict::Ranks& ranks = {});

}  // namespace highwater::engine
