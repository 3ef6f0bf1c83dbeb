#pragma once

#include <atomic>

#include "core/predict/tables/calibration.h"

namespace highwater::engine {

/// The roofs of this machine, and how near operators come to them: products of matrices and the convolutions
/// of `table` for FLOP/s, copies for bytes a second; efficiencies are the 5th, 50th and 95th percentile over
/// sizes (convolutions: over the rows of a million multiply-adds and more). Takes some seconds; stops
/// early where `cancel` says so (what is not measured by then is absent). Call after beginCalibration.
predict::CpuSpeed measureSpeed(const predict::Calibration& table, const std::atomic<bool>& cancel);

}  // namespace highwater::engine
