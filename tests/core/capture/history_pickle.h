#pragma once

#include <string>
#include <vector>

#include "tests/core/capture/history_read.h"

namespace highwater::test {

/// The release whose fields are written; see docs/allocator-replay.md.
struct PickleOf {
    memory::TorchVersion release{2, 12};
    bool asList = false;  ///< torch.cuda.memory_snapshot(): only the segments
    /// Call stacks, innermost frame first: allocations and blocks use them in turn.
    std::vector<std::vector<memory::StackFrame>> stacks = {};
};

/// A history in PyTorch's format.
std::string pickled(const capture::History& history, const PickleOf& options = {});

}  // namespace highwater::test
