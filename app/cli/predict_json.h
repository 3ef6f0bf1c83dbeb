#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "core/predict/predict.h"

namespace highwater::cli {

/// A prediction with its input and target.
struct Predicted {
    const stack::StackInfo& info;
    const predict::Target& target;
    const predict::Prediction& prediction;
    std::int64_t batchSize = 0;               ///< of one rank
    const predict::AxisScan* scan = nullptr;  ///< set together with its curve, or both null
    const predict::AxisCurve* curve = nullptr;
    std::optional<base::Bytes> budget = {};  ///< the most that a step may need
    bool withinBudget() const;
};

/// contract: predict --json (resources/schema/predict.json).
nlohmann::ordered_json predictionJson(const Predicted& predicted);

/// A prediction for people, on stdout: peak with its band and split, whether it fits, time, cliffs with the
/// nearest safe sizes, the largest layers, what is a guess; with a scan, its curve. `name` is the
/// experiment's.
void printPrediction(const std::string& name, const Predicted& predicted);

/// Estimates as the contract's files have them: `low`, `expected`, `high`.
nlohmann::ordered_json bandJson(const predict::Estimate& bytes);
nlohmann::ordered_json bandJson(const predict::TimeEstimate& millis);
std::string_view fitsKey(predict::Fits fits);  ///< "yes", "no", "uncertain"
/// The odds of running out as `oom_probability`: null if they are not known, because the need is only known
/// from below (`atLeast`) or from above (`atMost`) and that does not decide.
nlohmann::ordered_json oddsJson(double odds, predict::Fits fits, bool atLeast, bool atMost);
/// Adds `bound`, "at_least", "at_most" or "neither", where the figures are bounds.
void addBound(nlohmann::ordered_json& json, bool atLeast, bool atMost);

}  // namespace highwater::cli
