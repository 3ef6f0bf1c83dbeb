#pragma once

#include <string>

#include "core/capture/history.h"

namespace highwater::test {

/// The release whose fields are written; see docs/allocator-replay.md.
struct PickleOf {
    memory::TorchVersion release{2, 12};
    bool asList = false;  ///< torch.cuda.memory_snapshot(): the segments alone
};

/// A history as PyTorch writes it.
std::string pickled(const capture::History& history, const PickleOf& options = {});

}  // namespace highwater::test
