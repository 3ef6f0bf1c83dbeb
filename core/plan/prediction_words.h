#pragma once

#include <string>

#include "core/plan/device_fit.h"
#include "core/predict/predict.h"

/// Texts about predictions, the same in reports, in the window and on the command line.
namespace highwater::plan {

/// "9.31 GiB, from 8.90 GiB to 10.2 GiB"; without a range if it is exact.
std::string bandText(const predict::Estimate& bytes);
/// The same, for an estimate that may be a bound: "at least 8.90 GiB (with what is known: 9.31 GiB)".
std::string needText(const predict::Prediction& prediction, const predict::Estimate& bytes);
/// "8.90 GiB to 10.2 GiB", "about 7.1 GiB"; empty if it is exact.
std::string rangeText(const predict::Estimate& bytes);

/// For a table of devices: "exact", "10.9 GiB to 11.9 GiB", "about 11.9 GiB" if there is no range; empty if
/// nothing is known.
std::string estimateText(const DeviceFit& fit);
/// "102 ms", or for a guess with its range, so that it does not look like a time based on measurements:
/// "about 102 ms (20 ms to 300 ms)". Empty if the time is unknown.
std::string stepText(const predict::TimeEstimate& millis);
/// The place of the peak: "in backward, at 12 conv, in the first step".
std::string whereText(const predict::Prediction& prediction, const stack::StackInfo& info);
/// The probability of running out: "under 1 %", "about 12 %", "not known, as more than this may be needed".
std::string oddsText(const predict::Prediction& prediction);
/// What else uses the capacity: " beside the CUDA context", " on this machine".
std::string besideText(const predict::Target& target);
/// "NVIDIA GeForce RTX 3060 12 GB (rtx3060), LibTorch 2.4, cuDNN 9.1", "cpu, 8 threads, avx2, LibTorch 2.4".
std::string targetText(const predict::Target& target);

}  // namespace highwater::plan
