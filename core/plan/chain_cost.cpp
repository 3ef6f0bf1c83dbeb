#include <algorithm>
#include <cstddef>

#include "core/plan/chain.h"
#include "core/plan/chain_needs.h"

namespace highwater::plan {
namespace {

/// Adds up a plan's times and tracks its memory, without the chain's input.
class Costing {
public:
    explicit Costing(const Chain& chain) : chain_(chain) {}

    ChainCost cost() const { return {ms_, chain_.input + most_}; }

    /// Runs a list of parts forward and backward.
    void run(const std::vector<ChainPart>& parts) {
        if (parts.empty()) {
            return;
        }
        const int end = parts.back().last - 1;
        for (const ChainPart& part : parts) {
            forward(part, end);
        }
        for (std::size_t n = parts.size(); n > 0; --n) {
            backward(parts[n - 1], end);
        }
    }

private:
    void forward(const ChainPart& part, int end) {
        const base::Bytes gradient = heldGradient(chain_, end);
        if (!part.inner.empty()) {
            sweep(part, gradient);
            held_ += holds(unit(part.last - 1));
        } else if (part.first != end || !isResumed(chain_, end)) {
            touch(gradient + keptNeed(unit(part.first), option(part)));
            ms_ += option(part).forwardMs;
        }
        if (part.inner.empty() && part.first != end) {
            held_ += stays(unit(part.first), option(part));
        }
    }
    /// Runs units forward, keeping only the last output.
    void sweep(const ChainPart& part, base::Bytes gradient) {
        for (int at = part.first; at < part.last; ++at) {
            const base::Bytes input = at == part.first ? 0 : heldInputOf(chain_, at);
            touch(gradient + input + bareNeed(unit(at)));
            ms_ += unit(at).forwardMs;
        }
    }
    void backward(const ChainPart& part, int end) {
        if (!part.inner.empty()) {
            held_ -= holds(unit(part.last - 1));
            run(part.inner);
            return;
        }
        if (part.first != end) {
            held_ -= stays(unit(part.first), option(part));
        }
        touch(backwardNeed(chain_, part.first, option(part), part.first == end && isResumed(chain_, end)));
        ms_ += option(part).backwardMs;
    }
    void touch(base::Bytes need) { most_ = std::max(most_, held_ + need); }
    const ChainUnit& unit(int at) const { return chain_.units[static_cast<std::size_t>(at)]; }
    const ChainOption& option(const ChainPart& part) const {
        return unit(part.first).options[static_cast<std::size_t>(part.option)];
    }

    const Chain& chain_;
    base::Millis ms_ = 0;
    base::Bytes held_ = 0, most_ = 0;
};

}  // namespace

ChainCost costOf(const Chain& chain, const std::vector<ChainPart>& parts) {
    Costing costing(chain);
    costing.run(parts);
    return costing.cost();
}

std::optional<std::vector<ChainPart>> fastestParts(const Chain& chain) {
    std::vector<ChainPart> parts;
    for (int at = 0; at < static_cast<int>(chain.units.size()); ++at) {
        const auto fastest = fastestOf(chain, at);
        if (!fastest) {
            return std::nullopt;
        }
        ChainPart part{at, at + 1, fastest->option, {}};
        if (fastest->resumed) {
            part = {at, at + 1, 0, {part}};
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace highwater::plan
