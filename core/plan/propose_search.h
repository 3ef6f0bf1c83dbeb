#pragma once

#include <map>
#include <optional>
#include <utility>

#include "core/plan/propose_facts.h"

/// The search for a patch and a batch. Sizes are D, H, W. Private to core/plan.
namespace highwater::plan {

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

/// Returns the first of the shortened patches that fits, found by bisection. The one before it does not fit.
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
