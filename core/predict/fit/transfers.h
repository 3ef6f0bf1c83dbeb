#pragma once

#include <vector>

#include "core/predict/ghost/walk.h"

/// The time of a step's copies between the device and host memory. Private to core/predict.
namespace highwater::predict {

/// The fraction of its nominal rate (DeviceProfile::hostBytesPerSecond) that a device's link to the host
/// reaches with page-locked memory. Published copies (bandwidthTest of CUDA's samples) reach 0.77 to 0.83 of
/// PCIe 3.0, 4.0 and 5.0 with 16 lanes; a slot may have fewer lanes, or share them.
inline constexpr Efficiency kHostLink{0.4, 0.78, 0.85};
/// Assumed if the link is unknown: PCIe 3.0 with 16 lanes.
inline constexpr double kUnknownHostLink = 15.75e9;

/// Fills in the times of the operators that wait for transfers (WalkOp::transfer); `times` has those of all
/// others. Both directions run concurrently; in each, transfers run one after another, each starting when the
/// device has reached its position at the earliest.
void addWaits(const Walk& walk, const Target& target, std::vector<TimeEstimate>& times);

/// The maximum bytes offloaded to host memory at once.
base::Bytes mostOnHost(const Walk& walk);

}  // namespace highwater::predict
