#pragma once

#include <vector>

#include "tests/gpu/rules/event_comparison.h"

namespace highwater::gpu {

/// One capacity for LibTorch's allocator, and whether two steps run out of memory with it.
struct Rung {
    base::Bytes capacity = 0;
    bool measured = false, predicted = false;
};

/// Capacities around the predicted peak of reserved memory, from 70 % to 110 % of it. `walks` is walkBoth of
/// the experiment. Errors: a run that ends other than done or out of memory.
base::Result<std::vector<Rung>> climb(const stack::Experiment& experiment, const Walks& walks);

}  // namespace highwater::gpu
