#pragma once

#include "core/predict/walk.h"

/// Times from a walk: a roofline (Williams, Waterman, Patterson 2009) with the shares of the roofs that
/// operators of a family reach. Private to core/predict.
namespace highwater::predict {

/// The time of every operator of the walk, in its order. An operator with F operations and B bytes takes
///   max(F / (P e), B / (W m), k L)
/// P, W: the roofs of the device for the operator's type and for memory; e: what its family reaches of P, m
/// of W (a computing family's bytes: as "elementwise"); L: the least time of a kernel, k: how many kernels
/// the family takes. e and m are ranges: low times take their high ends, high times their low ends; of k L
/// from half to 2.5 times. Operators with a measured row (of the CPU's calibration, or of the GPU's table for
/// this very device) take that time, from 0.8 to 1.25 of it.
std::vector<TimeEstimate> operatorTimes(const Walk& walk, const Target& target);

/// Fills in stepMs and the layers' forwardMs and backwardMs (with what is recomputed) from the second step's
/// operators. Low, expected and high are each sums of the same end: what the ranges get wrong they get wrong
/// in every operator alike, so nothing cancels. Layers of operators beyond `prediction.layers` are left out.
/// Adds to the guesses what has not been measured.
void estimateTime(const Walk& walk, const Target& target, Prediction& prediction);

}  // namespace highwater::predict
