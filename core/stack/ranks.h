#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// Data-parallel training on one machine: several processes (ranks) train the same network, each on its own
/// batches, and average their gradients.
namespace highwater::stack {

inline constexpr int kMostRanks = 8;

/// Error, one line: the experiment cannot be trained this way. `info` is the result of inferShapes for it.
base::Status checkRanks(const Experiment& experiment, const StackInfo& info);

/// The experiment as each of `ranks` processes runs it: if it does not give the number of threads, each has
/// its share of this machine's processors, at least 1.
Experiment forEachRank(Experiment experiment, int ranks);

/// The seed of a rank's data and dropout; rank 0 uses the experiment's own seed.
std::uint64_t seedOfRank(std::uint64_t seed, int rank);

}  // namespace highwater::stack
