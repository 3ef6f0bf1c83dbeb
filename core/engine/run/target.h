#pragma once

#include "core/base/result.h"
#include "core/predict/predict.h"
#include "core/stack/experiment.h"
#include "core/wire/events.h"

namespace highwater::engine {

/// What to predict for on this device with this build's LibTorch: the CPU with its calibration, or the GPU
/// with its own software. `environment`: as run() gives it for the device.
base::Result<predict::Target> targetOf(const wire::Environment& environment,
                                       const stack::Experiment& experiment);

/// What the predictor says of the run before it begins; nothing where it cannot.
std::optional<wire::Predicted> predictedFor(const wire::Environment& environment,
                                            const stack::Experiment& experiment);

}  // namespace highwater::engine
