#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"
#include "core/predict/axes/axis.h"
#include "core/predict/fit/prediction.h"
#include "core/predict/target/target.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// Predicts the memory and time of a run, without running it. The experiment is walked symbolically through
/// two training steps, with the allocations and frees of the chosen LibTorch version; the result is replayed
/// with the allocator's rules. Allocates none of the memory that it predicts; takes milliseconds.
namespace highwater::predict {

struct PredictOptions {
    bool timeline = true;
    bool time = true;
    bool reserved = true;  ///< run the allocator simulator (GPUs)
    /// GPUs: false: `fits` is only reliable as to whether it is Fits::Yes, and the odds are rough. Saves
    /// replays when many sizes are tried.
    bool odds = true;
    bool inPython = false;           ///< also predict maxMemoryAllocated, which needs a second walk (GPUs)
    bool cliffs = true;              ///< search for sizes at which memory jumps, which tries hundreds (GPUs)
    memory::Trace* trace = nullptr;  ///< receives all events of both steps, with the expected bytes; may be
                                     ///< nullptr
};

/// `info` is the result of inferShapes for the experiment. Errors, one line: a setting that cannot be
/// predicted for this target; more memory than 2^62 bytes.
base::Result<Prediction> predict(const stack::Experiment& experiment, const stack::StackInfo& info,
                                 const Target& target, const PredictOptions& options = {});

/// A scan over one axis of the input: "width", "height", "depth", "batch_size", or "patch" (all spatial sizes
/// in proportion to the first).
struct AxisScan {
    std::string axis = "width";
    std::int64_t from = 64, to = 512, step = 8;
};
struct AxisPoint {
    std::int64_t value = 0;
    Estimate allocated, reserved;
    TimeEstimate stepMs;
    Fits fits = Fits::Uncertain;
    std::vector<Cliff> cliffs;
};
struct AxisCurve {
    std::vector<AxisPoint> points;  ///< ascending; values that the stack does not accept are left out
    std::int64_t leftOut = 0;       ///< number of values left out
    /// Values at which the expected peak jumps: by more than twice the growth expected from the neighbors'
    /// trend.
    std::vector<std::int64_t> jumps;
};
/// Errors: an axis that the input does not have; a range in which the stack accepts no size; more than 4096
/// values. `cancel` is checked between values; the points done so far are returned.
base::Result<AxisCurve> scanAxis(const stack::Experiment& experiment, const Target& target,
                                 const AxisScan& scan, const std::atomic<bool>* cancel = nullptr);
}  // namespace highwater::predict
