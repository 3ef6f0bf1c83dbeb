#include "tests/core/plan/chain_replay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace highwater::plan::testing {
namespace {

using Values = std::uint64_t;  ///< a set of values, one bit each

/// One forward or backward of a unit: what it reads and writes, what else it holds, and its duration.
struct Operation {
    Values reads = 0, writes = 0;
    base::Bytes besides = 0;
    base::Millis ms = 0;
    Values own = 0;  ///< the output of its unit, which is counted even if it is pinned
};

/// For n units: their inputs and outputs 0 to n, the gradients of those, and what each unit saved.
class Replay {
public:
    explicit Replay(const Chain& chain) : chain_(chain), units_(static_cast<int>(chain.units.size())) {}

    ChainCost of(const std::vector<ChainPart>& parts) {
        list(parts);
        ChainCost cost;
        Values readLater = 0;
        for (std::size_t n = operations_.size(); n > 0; --n) {
            const Operation& operation = operations_[n - 1];
            const Values held =
                ((readLater | operation.reads | operation.writes) & ~(pinned() & ~operation.own)) | value(0);
            cost.peak = std::max(cost.peak, sizeOf(held) + operation.besides);
            cost.ms += operation.ms;
            readLater = (readLater & ~operation.writes) | operation.reads;
        }
        return cost;
    }

private:
    Values value(int at) const { return Values{1} << at; }
    Values gradient(int at) const { return Values{1} << (units_ + 1 + at); }
    Values saved(int at) const { return Values{1} << (2 * units_ + 2 + at); }
    const ChainUnit& unit(int at) const { return chain_.units[static_cast<std::size_t>(at)]; }

    base::Bytes sizeOf(Values values) const {
        base::Bytes sum = values & value(0) ? chain_.input : 0;
        sum += values & gradient(0) ? chain_.inputGradient : 0;
        for (int at = 0; at < units_; ++at) {
            sum += values & value(at + 1) ? unit(at).output : 0;
            sum += values & gradient(at + 1) ? unit(at).output : 0;
            sum += values & saved(at) ? saved_[static_cast<std::size_t>(at)] : 0;
        }
        return sum;
    }
    void list(const std::vector<ChainPart>& parts) {
        const int end = parts.back().last - 1;
        for (const ChainPart& part : parts) {
            if (part.inner.empty()) {
                keep(part.first, part.option, part.first == end && resumes(end));
                continue;
            }
            for (int at = part.first; at < part.last; ++at) {
                operations_.push_back({value(at), value(at + 1), unit(at).forwardOver + unit(at).crossing,
                                       unit(at).forwardMs, value(at + 1)});
            }
        }
        for (std::size_t n = parts.size(); n > 0; --n) {
            const ChainPart& part = parts[n - 1];
            if (part.inner.empty()) {
                back(part.first, part.option, part.first == end && resumes(end));
            } else {
                list(part.inner);
            }
        }
    }
    /// The outputs that are held elsewhere.
    Values pinned() const {
        Values all = 0;
        for (int at = 0; at < units_; ++at) {
            all |= unit(at).pinned ? value(at + 1) : 0;
        }
        return all;
    }
    bool resumes(int at) const { return unit(at).resumable && at < units_ - 1; }
    const ChainOption& option(int at, int option) const {
        return unit(at).options[static_cast<std::size_t>(option)];
    }
    void keep(int at, int k, bool resumed) {
        saved_.resize(chain_.units.size());
        saved_[static_cast<std::size_t>(at)] = option(at, k).saved;
        if (!resumed) {
            operations_.push_back({value(at), value(at + 1) | saved(at),
                                   option(at, k).forwardOver + unit(at).crossing, option(at, k).forwardMs,
                                   value(at + 1)});
        }
    }
    /// The last gradient comes into being with the first backward; a resumed backward makes what is saved.
    void back(int at, int k, bool resumed) {
        const bool output = option(at, k).readsOutput && !resumed;
        operations_.push_back(
            {value(at) | gradient(at + 1) | saved(at) | (output ? value(at + 1) : 0),
             gradient(at) | (at == units_ - 1 ? gradient(at + 1) : 0) | (resumed ? saved(at) : 0),
             option(at, k).backwardOver + unit(at).crossing, option(at, k).backwardMs,
             output ? value(at + 1) : 0});
        // What it makes itself is not there before.
        Operation& made = operations_.back();
        made.reads &= ~made.writes;
    }

    const Chain& chain_;
    int units_;
    std::vector<Operation> operations_;
    std::vector<base::Bytes> saved_;
};

/// Puts `part` before every plan of the units after it.
void addWith(const ChainPart& part, const std::vector<std::vector<ChainPart>>& rests,
             std::vector<std::vector<ChainPart>>& plans) {
    for (const auto& rest : rests) {
        plans.push_back({part});
        plans.back().insert(plans.back().end(), rest.begin(), rest.end());
    }
}

}  // namespace

ChainCost replay(const Chain& chain, const std::vector<ChainPart>& parts) {
    return Replay(chain).of(parts);
}

bool covers(const Chain& chain, const std::vector<ChainPart>& parts, int first, int last) {
    for (const ChainPart& part : parts) {
        const bool kept = part.inner.empty();
        const auto options = static_cast<int>(chain.units[static_cast<std::size_t>(first)].options.size());
        if (part.first != first || (kept && (part.last != first + 1 || part.option >= options)) ||
            (!kept && !covers(chain, part.inner, part.first, part.last))) {
            return false;
        }
        first = part.last;
    }
    return first == last && !parts.empty() && parts.back().inner.empty();
}

std::vector<std::vector<ChainPart>> allPlans(const Chain& chain, int first, int last) {
    std::vector<std::vector<ChainPart>> plans;
    const auto options = static_cast<int>(chain.units[static_cast<std::size_t>(first)].options.size());
    for (int next = first + 1; next < last; ++next) {
        const auto rests = allPlans(chain, next, last);
        for (const auto& inner : allPlans(chain, first, next)) {
            addWith({first, next, 0, inner}, rests, plans);
        }
    }
    const auto rests =
        first + 1 < last ? allPlans(chain, first + 1, last) : std::vector<std::vector<ChainPart>>{{}};
    for (int k = 0; k < options; ++k) {
        addWith({first, first + 1, k, {}}, rests, plans);
    }
    return plans;
}

}  // namespace highwater::plan::testing
