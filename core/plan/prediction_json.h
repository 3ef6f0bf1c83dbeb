#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "core/plan/make_fit.h"
#include "core/predict/predict.h"

/// Predictions in the contract's form.
namespace highwater::plan {

/// A prediction with its input and target.
struct Predicted {
    const stack::StackInfo& info;
    const predict::Target& target;
    const predict::Prediction& prediction;
    std::int64_t batchSize = 0;               ///< per rank
    const predict::AxisScan* scan = nullptr;  ///< set together with its curve, or both null
    const predict::AxisCurve* curve = nullptr;
    std::optional<base::Bytes> budget = {};  ///< the most that a step may need
    bool withinBudget() const;
};

/// contract: predict --json (resources/schema/predict.json).
nlohmann::ordered_json predictionJson(const Predicted& predicted);
/// A prediction for a device: `peak_bytes`, `capacity_bytes`, `oom_probability`, `fits`, `step_ms`,
/// `largest_batch_size`, as far as they are known.
nlohmann::ordered_json fitJson(const DeviceFit& fit);
/// contract: a plan of plan --json (resources/schema/plan.json).
nlohmann::ordered_json planJson(const Plan& plan);

/// Estimates: `low`, `expected`, `high`.
nlohmann::ordered_json bandJson(const predict::Estimate& bytes);
nlohmann::ordered_json bandJson(const predict::TimeEstimate& millis);
std::string_view fitsKey(predict::Fits fits);  ///< "yes", "no", "uncertain"
/// The probability of running out of memory as `oom_probability`: null if it is unknown, because the need is
/// only bounded from below (`atLeast`) or above (`atMost`) and the bound does not decide.
nlohmann::ordered_json oddsJson(double odds, predict::Fits fits, bool atLeast, bool atMost);
/// Adds `bound`, "at_least", "at_most" or "neither", if the figures are bounds.
void addBound(nlohmann::ordered_json& json, bool atLeast, bool atMost);

}  // namespace highwater::plan
