#pragma once

#include "core/predict/walk.h"

/// From the sizes of a walk to whether it fits. Private to core/predict.
namespace highwater::predict {

/// A range in which every value is as likely as any other.
struct Uniform {
    double low = 0, high = 0;  ///< low <= high
};
/// The probability that the sum of two independent ones exceeds `limit`:
/// 1 - (g(l-a-c) - g(l-b-c) - g(l-a-d) + g(l-b-d)) / ((b-a)(d-c)), g(u) = max(0, u)^2 / 2; where a range is
/// a point, that of the other.
double probabilityAbove(Uniform first, Uniform second, double limit);

/// Runs the walk's requests through the allocator's rules on the target's GPU and fills in capacity,
/// peakReserved, fragmentation, outOfMemory, oomProbability and fits. The walk's peaks are in `prediction`.
///
/// peakReserved: what the allocator would hold with each size at its low, expected and high end; expected on
/// this device, where the cache is given back when memory is short; where the run ends, without a limit.
///
/// oomProbability = P(C + N > M), with M the device's memory less what others hold. C is the context, uniform
/// in its range, widened by 0.5 % of the memory where that is a datasheet's figure. N is the least memory in
/// which the walk runs, uniform between N_low (sizes at their low end) and N_expected: not up to the high
/// end, for where a workspace cannot be had, LibTorch takes the next plan with a smaller one
/// (memory-model.md section 2). N_low and N_expected are found by replays, to 1/16 of the range in question,
/// and taken 5 % lower and higher while nothing was measured on the architecture: rules may be wrong, too.
/// The two are taken as independent.
void assessGpu(const Walk& walk, const Target& target, Prediction& prediction);

/// The same for the CPU, without an allocator: N uniform in peakAllocated, M the machine's memory. Without
/// M: 0 and Uncertain.
void assessCpu(const Target& target, Prediction& prediction);

}  // namespace highwater::predict
