#pragma once

#include <map>
#include <optional>
#include <utility>

#include "core/plan/propose_facts.h"

/// The search for a patch and a batch; sizes are D, H, W. Private to core/plan.
namespace highwater::plan {

using Three = std::array<std::int64_t, 3>;

double product(const Three& sizes);

/// Asks for peaks, each once.
class Trials {
public:
    Trials(const stack::Experiment& experiment, const Peak& peak, const ProposeOptions& options)
        : experiment_(experiment), peak_(peak), options_(options) {}

    Tried at(const Three& patch, std::int64_t batch);
    bool fits(const Three& patch, std::int64_t batch);
    bool cancelled();
    /// Whether the stack accepts the patch at all; else why not.
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

/// The first of the shortened patches that fits, found by halving: the one before it does not.
base::Result<Three> firstThatFits(const Search& search);
/// One stride longer, along the axis that is shortest against the median and lets it; nothing where none
/// does.
std::optional<Three> longer(const Search& search, const Three& patch);
/// The smallest of those one stride longer, none of which fits; nothing where the patch is whole.
std::optional<Tried> nextLarger(const Search& search, const Three& patch);
/// The largest multiple of `unit` up to `most` that fits, where `least` does.
std::int64_t largestBatch(const Search& search, const Three& patch, std::int64_t unit, std::int64_t most);

}  // namespace highwater::plan
