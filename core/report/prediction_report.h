#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/make_fit.h"
#include "core/report/report.h"
#include "core/stack/shapes.h"

/// Reports of what was predicted and not run: a prediction, plans, devices.
namespace highwater::report {

/// A prediction as it was shown.
struct PredictionInput {
    stack::Experiment experiment;
    stack::StackInfo info;  ///< result of inferShapes for the experiment
    predict::Target target;
    predict::Prediction prediction;
    std::optional<base::Bytes> budget;  ///< the most that a step may need
    std::vector<std::string> remarks;   ///< more assumptions, one line each: what cuDNN answered
    std::string created;                ///< time of the report, for people; empty: left out
};

/// Plans that need less memory, and the one that was chosen.
struct PlanInput {
    predict::Target target;  ///< for the unchanged experiment
    plan::Budget budget;     ///< as plan::planUnder takes it
    base::Bytes capacity = 0;
    plan::PlanCurve curve;
    std::size_t chosen = 0;  ///< index into curve.plans
    std::string headline;    ///< the verdict on the chosen plan, one line; empty: plan::headline
    /// The predicted steps of the unchanged experiment and of the chosen plan, for their charts; may be left
    /// out.
    std::optional<predict::Prediction> before, after;
    std::string created;
};

/// What an experiment needs on each device.
struct DevicesInput {
    struct Device {
        std::string name;             ///< "NVIDIA GeForce RTX 3060 12 GB", "this CPU"
        std::string id;               ///< of the target
        std::string libtorch, cudnn;  ///< "2.4", "9.1"; empty: not known, or not for this device
        base::Result<plan::DeviceFit> fit = base::Error{};
    };
    /// A change of the experiment that needs less, on one of the devices.
    struct Change {
        std::string title, what;
        plan::DeviceFit fit;
    };
    stack::Experiment experiment;
    std::vector<Device> devices;
    std::vector<std::string> remarks;  ///< more assumptions, one line each
    std::string changesOn;             ///< the device of the changes
    std::vector<Change> changes;
    std::string created;
};

/// The contents refer to the input, which must outlive them. The CSV has a row for the prediction, for each
/// plan (the unchanged experiment first), or for each device, with the same first columns: target,
/// device_name, libtorch, cudnn, name, batch_size, patch ("64x64x64"), precision, fits ("yes", "no",
/// "uncertain"), verdict, oom_probability, need_bytes_low, need_bytes, need_bytes_high (reserved on a GPU),
/// bound, capacity_bytes, memory_exact, step_ms_low, step_ms, step_ms_high, host_bytes, largest_batch_size,
/// changes, error. The JSON is {"schema": "highwater.report/1", "experiment": ..., and "prediction", "plans"
/// and "chosen", or "devices"} (resources/schema/report.json).
Content contentOf(const PredictionInput& input);
Content contentOf(const PlanInput& input);
Content contentOf(const DevicesInput& input);

}  // namespace highwater::report
