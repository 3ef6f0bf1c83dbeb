#include "core/plan/chain.h"

#include <algorithm>
#include <limits>

#include "core/plan/chain_table.h"

namespace highwater::plan {
namespace {

constexpr float kNoTime = std::numeric_limits<float>::infinity();

/// The size of a slot, and the largest useful number of them.
struct Slots {
    base::Bytes size = 1;
    int columns = 0;
};

/// Every unit's size may be rounded up by a slot, so a plan that just fits `most` may need one more slot for
/// each unit.
Slots slotsUpTo(const Chain& chain, base::Bytes most, int slots) {
    const auto parts = fastestParts(chain);
    if (chain.units.empty() || !parts || most < chain.input) {
        return {};
    }
    const base::Bytes beyond = std::min(most, costOf(chain, *parts).peak) - chain.input;
    const base::Bytes count = std::max(slots, 1), size = beyond / count + (beyond % count != 0 ? 1 : 0);
    const base::Bytes used = beyond / std::max<base::Bytes>(size, 1);
    return {.size = std::max<base::Bytes>(size, 1),
            .columns = static_cast<int>(used + static_cast<base::Bytes>(chain.units.size()) + 1)};
}

}  // namespace

ChainPlans::ChainPlans(const Chain& chain, base::Bytes most, int slots) {
    const Slots counted = slotsUpTo(chain, most, slots);
    if (counted.columns == 0) {
        return;
    }
    table_ = std::make_shared<const ChainTable>(chain, counted.size, counted.columns);
    // From the fastest on: a plan is added only if it needs less memory than all faster ones.
    for (int m = table_->columns() - 1; m >= 0 && table_->time(m) < kNoTime; --m) {
        if (m > 0 && table_->time(m) == table_->time(m - 1)) {
            continue;
        }
        const Entry entry{m, costOf(table_->chain(), table_->parts(m))};
        if (entry.cost.peak <= most && (entries_.empty() || entry.cost.peak < entries_.back().cost.peak)) {
            add(entry);
        }
    }
    std::reverse(entries_.begin(), entries_.end());
}

/// Rounding can make two equal plans look different, so drop a plan that is no faster than its neighbor and
/// needs more memory.
void ChainPlans::add(const Entry& entry) {
    while (!entries_.empty() && entry.cost.ms <= entries_.back().cost.ms) {
        entries_.pop_back();
    }
    entries_.push_back(entry);
}

std::optional<base::Bytes> ChainPlans::least() const {
    return entries_.empty() ? std::nullopt : std::optional(entries_.front().cost.peak);
}

std::optional<ChainPlan> ChainPlans::under(base::Bytes budget) const {
    const auto above =
        std::upper_bound(entries_.begin(), entries_.end(), budget,
                         [](base::Bytes b, const Entry& entry) { return b < entry.cost.peak; });
    return above == entries_.begin() ? std::nullopt : std::optional(planOf(*(above - 1)));
}

std::vector<ChainPlan> ChainPlans::all() const {
    std::vector<ChainPlan> plans;
    for (const Entry& entry : entries_) {
        plans.push_back(planOf(entry));
    }
    return plans;
}

ChainPlan ChainPlans::planOf(const Entry& entry) const {
    return {entry.cost, table_->parts(entry.slots)};
}

}  // namespace highwater::plan
