#pragma once

#include <atomic>

#include "core/predict/tables/calibration.h"

namespace highwater::engine {

/// Measures this machine's peak speeds, and how close operators come to them: matrix products for peak
/// FLOP/s, copies for peak bytes per second. Efficiencies are fractions of a peak, as the 5th, 50th and 95th
/// percentile over sizes (for the convolutions of `table`: over its rows with at least a million
/// multiply-adds). Takes some seconds. If `cancel` is set it stops early, and the remaining speeds are
/// absent. Call after beginCalibration.
predict::CpuSpeed measureSpeed(const predict::Calibration& table, const std::atomic<bool>& cancel);

}  // namespace highwater::engine
