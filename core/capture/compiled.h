#pragma once

#include <optional>

#include "core/base/units.h"

namespace highwater::memory {
struct Trace;
}

namespace highwater::capture {

/// What code compiled by torch.compile holds at a trace's peak.
struct CompiledShare {
    base::Bytes bytes = 0;  ///< of the blocks that it allocated
    base::Bytes peak = 0;   ///< of all blocks
    bool operator==(const CompiledShare&) const = default;
};

/// std::nullopt if no block was allocated by compiled code: none of the call stacks has a frame of a file
/// that Inductor generated, or of the function that calls it. `trace` must be one that memory::check()
/// accepts.
std::optional<CompiledShare> compiledShare(const memory::Trace& trace);

}  // namespace highwater::capture
