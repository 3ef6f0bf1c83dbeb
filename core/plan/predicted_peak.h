#pragma once

#include "core/plan/propose_patch.h"
#include "core/predict/predict.h"

namespace highwater::plan {

/// The expected peak of a training step on `target` by core/predict: on a GPU what the allocator reserves and
/// the CUDA context; on the CPU what is allocated. Where the odds of running out are 1 % or more it is over
/// what the device has (stepCapacity), whatever is expected.
Peak predictedPeak(const predict::Target& target);
/// What a step may take on it: the device's memory less what others hold. 0 where that is unknown.
base::Bytes stepCapacity(const predict::Target& target);

}  // namespace highwater::plan
