#pragma once

#include "core/predict/fit/prediction.h"
#include "core/predict/ghost/walk.h"

/// Computes times from a walk with a roofline model (Williams, Waterman, Patterson 2009). Each family of
/// operators reaches its own share of the roofs. Private to core/predict.
namespace highwater::predict {

/// The families of DeviceProfile::compute for a convolution on tensor cores, from most to least specific:
/// "conv/tensor/channels_last", "conv/tf32", "conv/tensor". A profile need only have the last one.
std::vector<std::string> tensorFamilies(const std::string& family, bool tf32, bool channelsLast);

/// Whether cuDNN computes this convolution with Winograd's F(2x2, 3x3) when tensor cores are not used: fp32,
/// 2d, 3x3, stride 1. It then needs 2.25 times fewer multiplications than are counted (Lavin and Gray 2016).
bool runsWinograd(const ConvKey& key);
inline constexpr double kWinogradSaves = 2.25;

/// The bytes that determine an operator's time: pools and upsampling take as long in 16 bits as in 32.
double trafficOf(const WalkOp& op);

/// Returns the time of every operator of the walk, in its order. An operator with F operations and B bytes
/// takes
///   max(F / (P e), B / (W m), C / clock, k L) + T
/// P, W: the device's roofs for the operator's type and for memory. e: the share of P that its family
/// reaches; m: the share of W (for the bytes of a computing family: that of "elementwise"). L: the least time
/// of a kernel; k: how many kernels the family launches. If runsWinograd(), F is the number of operations of
/// Winograd's algorithm. e and m are ranges: low times use their high ends, high times their low ends. k L
/// ranges from half to 2.5 times its value. C: the cycles of its longest thread block (WalkOp::blockCycles),
/// from 0.75 to 1.6 times; T: the time of copies between layouts, from the shares "to_channels_last" and
/// "to_contiguous". 3d convolutions: conv_cost.h. An operator with a measured row (of the CPU's calibration,
/// or of the GPU's table for this very device) takes the measured time, from 0.8 to 1.25 times. One that
/// waits for a transfer takes the rest of the transfer's time (transfers.h). On the CPU each operator has an
/// additional fixed cost; a convolution without a row takes the time that the calibration guesses from its
/// rows (Calibration::guessMicroseconds), from half to twice its value; once the speed was measured, wider
/// ranges of other operators are also limited to this.
std::vector<TimeEstimate> operatorTimes(const Walk& walk, const Target& target);

/// The time of a whole step from the sums of its operators' times. A profile's measured shares are ranges of
/// single operators (Source::Measured), which do not all err alike: of the 134 experiments of the validation
/// kit on an H200, 92 % took 0.72 to 2.1 times what was expected, up to 2 ms more (96 % are within the sums,
/// which are three times as wide). Other profiles state ranges of whole steps already.
TimeEstimate wholeStep(const TimeEstimate& sum, const DeviceProfile& gpu);

/// Fills in stepMs (on the CPU with the fixed cost of a step and of its micro-batches) and the layers'
/// forwardMs and backwardMs (recomputation included) from the second step's operators. Low, expected and high
/// are each sums of the same ends: an error in the ranges is the same for every operator, so errors do not
/// cancel. Layers of operators beyond `prediction.layers` are left out. Adds to the guesses what was not
/// measured.
void estimateTime(const Walk& walk, const Target& target, Prediction& prediction);

}  // namespace highwater::predict
