#pragma once

#include <optional>

#include "core/plan/propose_patch.h"

/// What a proposal was decided by. Private to core/plan.
namespace highwater::plan {

/// A patch with a batch, and what was predicted for it.
struct Tried {
    std::array<std::int64_t, 3> patch{};  ///< D, H, W
    std::int64_t batch = 0;
    base::Result<base::Bytes> peak = base::Bytes{0};
};

struct ProposeFacts {
    std::size_t cases = 0;
    std::array<std::int64_t, 3> stride{1, 1, 1};  ///< D, H, W
    base::Bytes capacity = 0;
    Tried first;                       ///< the median volume, with the least batch
    Tried chosen;                      ///< the patch that was chosen, with the least batch
    std::optional<Tried> larger;       ///< the next larger one that does not fit
    std::optional<Tried> largerBatch;  ///< the next larger batch, where it does not fit
};

/// "160 × 192 × 192 (D × H × W)".
std::string patchText(const std::array<std::int64_t, 3>& patch);
/// "an estimated 9.31 GiB of 24 GiB", or why it cannot be.
std::string peakText(const Tried& tried, base::Bytes capacity);
std::vector<std::string> reasons(const PatchProposal& proposal, const ProposeFacts& facts);

}  // namespace highwater::plan
