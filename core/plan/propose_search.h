#pragma once

#include <map>
#include <optional>
#include <utility>

#include "core/plan/propose_patch.h"

/// The search behind a proposal; sizes are D, H, W unless stated otherwise. Private to core/plan.
namespace highwater::plan {

/// A patch with a batch, and its predicted peak.
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
    Tried chosen;                      ///< the chosen patch, with the least batch
    std::optional<Tried> larger;       ///< the next larger one that does not fit
    std::optional<Tried> largerBatch;  ///< the next larger batch, if it does not fit
};

/// "160 × 192 × 192 (D × H × W)".
std::string patchText(const std::array<std::int64_t, 3>& patch);
/// "an estimated 9.31 GiB of 24 GiB", or why it is not possible.
std::string peakText(const Tried& tried, base::Bytes capacity);
std::vector<std::string> reasons(const PatchProposal& proposal, const ProposeFacts& facts);

/// The median case; along i, j, k.
struct Median {
    std::array<double, 3> spacing{1, 1, 1};  ///< mm; along each axis the median of all cases with a known
                                             ///< spacing
    std::array<std::int64_t, 3> size{};      ///< median of all cases' sizes at that spacing
    double voxels = 0;                       ///< total of all cases, at that spacing
};
Median medianOf(const std::vector<CaseShape>& cases);

using Three = std::array<std::int64_t, 3>;

double product(const Three& sizes);

/// Computes peaks, each only once.
class Trials {
public:
    Trials(const stack::Experiment& experiment, const Peak& peak, const ProposeOptions& options)
        : experiment_(experiment), peak_(peak), options_(options) {}

    Tried at(const Three& patch, std::int64_t batch);
    bool fits(const Three& patch, std::int64_t batch);
    bool cancelled();
    /// Checks whether the stack accepts the patch at all; the error says why not.
    base::Status accepts(const Three& patch, std::int64_t batch) const;
    base::Bytes capacity() const { return options_.capacity; }

private:
    stack::Experiment with(const Three& patch, std::int64_t batch) const;

    const stack::Experiment& experiment_;
    const Peak& peak_;
    const ProposeOptions& options_;
    std::map<std::pair<Three, std::int64_t>, base::Result<base::Bytes>> known_;
    bool cancelled_ = false;
};

struct Search {
    Trials& trials;
    Three median{}, stride{}, whole{};  ///< whole: the median, rounded up to the stride
    std::int64_t least = 1;             ///< batch
};

/// Returns the first of the shortened patches that fits, found by bisection. The previous one does not fit.
base::Result<Three> firstThatFits(const Search& search);
/// Returns the patch that is one stride longer along the axis that is shortest relative to the median, among
/// the axes for which the result fits. Returns std::nullopt if there is none.
std::optional<Three> longer(const Search& search, const Three& patch);
/// Returns the smallest patch that is one stride longer along some axis (none of these fits). Returns
/// std::nullopt if the patch is already whole.
std::optional<Tried> nextLarger(const Search& search, const Three& patch);
/// Returns the largest multiple of `unit` up to `most` that fits; `least` is known to fit.
std::int64_t largestBatch(const Search& search, const Three& patch, std::int64_t unit, std::int64_t most);

}  // namespace highwater::plan
