#pragma once

#include "core/predict/fit/prediction.h"
#include "core/predict/ghost/walk.h"

/// Decides from the sizes of a walk whether the step fits. Private to core/predict.
namespace highwater::predict {

/// A uniform distribution over [low, high].
struct Uniform {
    double low = 0, high = 0;  ///< low <= high
};
/// Returns the probability that the sum of two independent uniform variables, over [a, b] and [c, d], exceeds
/// `limit` = l: 1 - (g(l-a-c) - g(l-b-c) - g(l-a-d) + g(l-b-d)) / ((b-a)(d-c)), g(u) = max(0, u)^2 / 2. If
/// one range is a point, the probability follows from the other alone.
double probabilityAbove(Uniform first, Uniform second, double limit);

/// Runs the walk's requests through the allocator's rules on the target's GPU. Fills in capacity,
/// peakReserved, fragmentation, outOfMemory, oomProbability and fits. `prediction` must already have the
/// walk's peaks.
///
/// peakReserved: the memory that the allocator would reserve with every size at its low, expected and high
/// end. `expected` is computed on this device, where the cache is released when memory runs short; if the run
/// fails there, it is computed without a limit.
///
/// oomProbability = P(C + N > M or N > A). A is the memory that per_process_memory_fraction allows the
/// allocator to reserve, a fraction of the device's memory; the larger of the two probabilities is used. M is
/// the device's memory minus that of other processes. C is the CUDA context, uniform in its range; the range
/// is widened by 0.5 % of the memory if that is a datasheet's figure. N is the least memory in which the walk
/// runs, uniform between N_low (sizes at their low end) and N_expected. The high end is not used: if a
/// workspace cannot be allocated, LibTorch tries the next plan with a smaller one (docs/memory-model.md
/// section 2). N_low and N_expected are found by replays, to 1/16 of the range in question. If nothing was
/// measured on the architecture, they are assumed 5 % lower and higher, because the rules may be wrong too. C
/// and N are assumed to be independent.
///
/// If the prediction is a lower bound, the low end of peakReserved is reduced by 5 % for the same reason.
/// Without `odds` as described at PredictOptions::odds.
void assessGpu(const Walk& walk, const Target& target, Prediction& prediction, bool odds = true);

/// The maximum that the allocator would have given out at once, in whole blocks, on a device with enough
/// memory. If the prediction is a lower bound, the low end is reduced by 5 %, as above.
Estimate wholeBlocks(const Walk& walk, const Target& target, const Prediction& prediction);

/// The same for the CPU, without an allocator: N is uniform in peakAllocated, M is the machine's memory. If M
/// is unknown, the result is 0 and Uncertain.
void assessCpu(const Target& target, Prediction& prediction);

}  // namespace highwater::predict
