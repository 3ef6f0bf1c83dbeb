#pragma once

#include <atomic>

#include "core/predict/predict.h"

/// Whether an experiment fits a device, and how much of it would.
namespace highwater::plan {

struct DeviceFit {
    /// What counts against `capacity`: on a GPU what the allocator reserves, on the CPU what is allocated.
    /// Bytes.
    predict::Estimate peak;
    base::Bytes capacity = 0;  ///< what this process may use on the device; 0 if unknown
    predict::Fits fits = predict::Fits::Uncertain;
    double odds = 0;  ///< probability of running out of memory, 0 to 1
    predict::TimeEstimate stepMs;
    /// The largest batch size that the prediction says fits (Fits::Yes), a multiple of the micro-batches; 0
    /// if not even the smallest does, -1 if the device's memory is unknown.
    std::int64_t largestBatch = -1;
};

/// Predicts the experiment on `target`, and with other batch sizes: 10 to 30 predictions, some milliseconds
/// each, more if the stack is deep. Errors: the experiment is not valid or not possible there; "cancelled".
base::Result<DeviceFit> fitOn(const stack::Experiment& experiment, const predict::Target& target,
                              const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::plan
