#pragma once

#include <optional>

#include "core/plan/propose_patch.h"

/// The facts on which a proposal is based. Private to core/plan.
namespace highwater::plan {

/// A patch and a batch that were tried, and the peak predicted for them.
struct Tried {
    std::array<std::int64_t, 3> patch{};  ///< D, H, W
    std::int64_t batch = 0;
    base::Result<base::Bytes> peak = base::Bytes{0};
};

struct ProposeFacts {
    std::size_t cases = 0;
    std::array<std::int64_t, 3> stride{1, 1, 1};  ///< D, H, W
    base::Bytes capacity = 0;
    Tried first;                       ///< the median volume, with the smallest batch
    Tried chosen;                      ///< the chosen patch, with the smallest batch
    std::optional<Tried> larger;       ///< the next larger patch, which does not fit
    std::optional<Tried> largerBatch;  ///< the next larger batch, if it does not fit
};

/// "160 × 192 × 192 (D × H × W)".
std::string patchText(const std::array<std::int64_t, 3>& patch);
/// "an estimated 9.31 GiB of 24 GiB", or why it is not possible.
std::string peakText(const Tried& tried, base::Bytes capacity);
std::vector<std::string> reasons(const PatchProposal& proposal, const ProposeFacts& facts);

}  // namespace highwater::plan
