#pragma once

#include "core/plan/propose_patch.h"
#include "core/predict/predict.h"

namespace highwater::plan {

/// Returns a Peak function: the expected peak of a training step on `target`, predicted by core/predict. On a
/// GPU it is the memory that the allocator reserves plus the CUDA context; on the CPU, the allocated memory.
/// If the probability of running out of memory is 1 % or more, the result is above stepCapacity, whatever the
/// expected value.
Peak predictedPeak(const predict::Target& target);
/// Returns the memory that a step may use on the target: the device's memory minus what others hold. 0 if
/// that is unknown.
base::Bytes stepCapacity(const predict::Target& target);

}  // namespace highwater::plan
