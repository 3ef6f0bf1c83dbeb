#pragma once

#include <cstdint>
#include <vector>

#include "tests/core/memory/allocator_replay.h"

namespace highwater::memory::bench {

/// The allocator events of a U-Net that is trained for `steps` steps: parameters and optimizer state once,
/// then in each step activations that live until the backward pass, short-lived workspaces and temporaries,
/// gradients, many small tensors, and patches of changing size (which fragment the cache). Deterministic.
std::vector<AllocatorEvent> trainingTrace(int steps, bool changingPatches, std::uint64_t seed);

}  // namespace highwater::memory::bench
