#pragma once

#include <vector>

#include "core/predict/ghost/walk.h"

/// The time of what a step copies between the device and the host's memory. Private to core/predict.
namespace highwater::predict {

/// What a device's link to the host reaches of its rate (DeviceProfile::hostBytesPerSecond) with page-locked
/// memory. Published copies (bandwidthTest of CUDA's samples) reach 0.77 to 0.83 of PCIe 3.0, 4.0 and 5.0
/// with 16 lanes; a slot may have fewer lanes, or share them.
inline constexpr Efficiency kHostLink{0.4, 0.78, 0.85};
/// Assumed where the link is not known: PCIe 3.0 with 16 lanes.
inline constexpr double kUnknownHostLink = 15.75e9;

/// Fills in the times of the operators that wait for transfers (WalkOp::transfer); `times` has those of all
/// others. Both directions are used at the same time; in each one transfer follows the other, from the moment
/// on at which the device has come to its place.
void addWaits(const Walk& walk, const Target& target, std::vector<TimeEstimate>& times);

/// The most bytes that wait in the host's memory at once.
base::Bytes mostOnHost(const Walk& walk);

}  // namespace highwater::predict
