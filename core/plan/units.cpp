#include "core/plan/units.h"

#include <algorithm>

#include "core/stack/storages.h"

namespace highwater::plan {

namespace {

using base::Bytes;
using predict::LayerCost;

/// Whether a step forms a separate unit: it multiplies matrices.
bool isCostly(const stack::Op& op) {
    if (const auto* const merge = std::get_if<stack::Merge>(&op)) {
        return merge->kind == stack::Merge::Kind::Matmul || merge->kind == stack::Merge::Kind::Attention;
    }
    return std::holds_alternative<stack::Conv>(op) || std::holds_alternative<stack::ConvTranspose>(op) ||
           std::holds_alternative<stack::SeparableConv>(op) ||
           std::holds_alternative<stack::CustomConv>(op) || std::holds_alternative<stack::Linear>(op);
}

class UnitMaker {
public:
    UnitMaker(const stack::Program& program, const stack::StackInfo& info, const predict::StepCosts& costs,
              std::int64_t parts)
        : program_(program),
          info_(info),
          costs_(costs),
          parts_(parts),
          count_(static_cast<int>(program.steps.size())) {}

    Units make(std::size_t most) {
        Units made;
        made.steps = thinned(ranges(), most);
        pin(made.steps);
        Bytes gradients = 0;  // gradients of the parameters of later units
        for (std::size_t i = made.steps.size(); i-- > 0;) {
            ChainUnit unit = unitOf(made.steps[i]);
            unit.crossing += gradients;
            for (int step = made.steps[i].first; step < made.steps[i].second; ++step) {
                gradients += cost(step).gradients;
            }
            made.chain.units.push_back(std::move(unit));
        }
        std::reverse(made.chain.units.begin(), made.chain.units.end());
        made.steps.emplace_back(count_, count_);
        made.chain.units.push_back(loss());
        return made;
    }

private:
    const stack::ProgramStep& step(int number) const {
        return program_.steps[static_cast<std::size_t>(number)];
    }
    const LayerCost& cost(int number) const {
        return costs_.layers[static_cast<std::size_t>(step(number).layer)];
    }
    /// Bytes of a value in one micro-batch; 0 for the network's input, which is held elsewhere.
    Bytes bytesOf(int value) const {
        return value < 0 ? 0 : info_.layers[static_cast<std::size_t>(step(value).layer)].outputBytes / parts_;
    }
    /// The last step that reads a value; the loss counts as the step after the last.
    int lastReader(int value) const {
        return program_.isOutput(value) ? count_ : program_.lastReaderBefore(value, count_);
    }

    std::vector<std::pair<int, int>> ranges() const {
        std::vector<std::pair<int, int>> all;
        for (int number = 0; number < count_; ++number) {
            const bool cut = all.empty() || ((isCostly(*step(number).op) || isCostly(*step(number - 1).op)) &&
                                             !stack::worksInPlace(*step(number).op));
            if (cut) {
                all.emplace_back(number, number);
            }
            all.back().second = number + 1;
        }
        return all;
    }

    /// Joins neighbors in pairs until at most `most` are left.
    static std::vector<std::pair<int, int>> thinned(std::vector<std::pair<int, int>> all, std::size_t most) {
        while (all.size() > most) {
            std::vector<std::pair<int, int>> joined;
            std::size_t excess = all.size() - most;
            for (std::size_t i = 0; i < all.size(); ++i) {
                joined.push_back(all[i]);
                if (excess > 0 && i + 1 < all.size()) {
                    joined.back().second = all[++i].second;
                    --excess;
                }
            }
            all = std::move(joined);
        }
        return all;
    }

    /// Finds outputs that cross many units: they are held in every plan, by their last reader or by the
    /// recomputation of the next unit. Shorter ones disappear if a recomputed part covers them.
    void pin(const std::vector<std::pair<int, int>>& units) {
        constexpr std::size_t kMany = 8;
        pinned_.assign(program_.steps.size(), false);
        for (std::size_t i = 0; i + kMany + 1 < units.size(); ++i) {
            const int value = units[i].second - 1;
            pinned_[static_cast<std::size_t>(value)] = lastReader(value) >= units[i + kMany + 1].first;
        }
    }
    bool isPinned(int value) const { return pinned_[static_cast<std::size_t>(value)]; }

    ChainUnit unitOf(const std::pair<int, int>& range) const {
        const auto [first, last] = range;
        ChainUnit unit;
        unit.output = bytesOf(last - 1);
        unit.pinned = isPinned(last - 1);
        unit.crossing = passingOver(first, last);
        unit.resumable = last - first == 1 && stack::resumable(*step(first).op) && lastReader(first) >= last;
        ChainOption kept;
        kept.readsOutput = stack::savesResult(*step(last - 1).op);
        Bytes saved = 0, most = 0, plain = 0;
        for (int number = first; number < last; ++number) {
            const LayerCost& each = cost(number);
            const Bytes input = number > first ? bytesOf(number - 1) : 0;
            plain = std::max(plain, input + each.forwardOver - unit.output);
            most = std::max(most, saved + each.forwardOver);
            saved += each.saved;
            unit.forwardMs += each.forwardMs;
            kept.backwardMs += each.backwardMs;
        }
        kept.forwardMs = unit.forwardMs;
        // The output is counted as the next unit's input.
        kept.saved = std::max<Bytes>(0, saved - unit.output);
        kept.forwardOver = std::max<Bytes>(0, most - unit.output - kept.saved);
        unit.forwardOver = std::max<Bytes>(0, plain);
        Bytes freed = 0;
        for (int number = last; number-- > first;) {
            const Bytes gradient = bytesOf(number) - unit.output;
            const Bytes result = number == first ? bytesOf(first - 1) : 0;
            kept.backwardOver =
                std::max(kept.backwardOver, gradient - freed + cost(number).backwardOver - result);
            freed += cost(number).saved;
        }
        kept.backwardOver += pinnedGradients(first);
        unit.options = {kept};
        return unit;
    }

    /// Values that are read later than by the next unit, and that cross these steps or end in them; and all
    /// pinned ones.
    Bytes passingOver(int first, int last) const {
        Bytes sum = 0;
        for (int value = 0; value < last - 1; ++value) {
            if (isPinned(value)) {
                sum += value < first ? bytesOf(value) : 0;
                continue;
            }
            const bool before = value < first - 1 && lastReader(value) >= first;
            const bool within = value >= first && lastReader(value) >= last;
            sum += before || within ? bytesOf(value) : 0;
        }
        return sum;
    }

    /// The gradients of pinned values that come from the steps from `first` on.
    Bytes pinnedGradients(int first) const {
        Bytes sum = 0;
        for (int value = 0; value < first; ++value) {
            sum += isPinned(value) && lastReader(value) >= first ? bytesOf(value) : 0;
        }
        return sum;
    }

    ChainUnit loss() const {
        ChainUnit unit;
        ChainOption kept;
        kept.saved = costs_.loss.saved;
        kept.forwardOver = std::max<Bytes>(0, costs_.loss.forwardOver - kept.saved);
        kept.backwardOver = std::max<Bytes>(0, costs_.loss.backwardOver - bytesOf(count_ - 1));
        kept.forwardMs = costs_.loss.forwardMs;
        kept.backwardMs = costs_.loss.backwardMs;
        kept.readsOutput = false;
        unit.forwardMs = kept.forwardMs;
        unit.forwardOver = costs_.loss.forwardOver;
        unit.crossing = passingOver(count_, count_);
        unit.options = {kept};
        return unit;
    }

    const stack::Program& program_;
    const stack::StackInfo& info_;
    const predict::StepCosts& costs_;
    std::int64_t parts_;
    int count_;
    std::vector<bool> pinned_;  ///< by step: whether its value is a unit's output that is held in every plan
};

}  // namespace

Units unitsOf(const stack::Program& program, const stack::StackInfo& info, const predict::StepCosts& costs,
              std::int64_t parts, std::size_t most) {
    return UnitMaker(program, info, costs, parts).make(most);
}

}  // namespace highwater::plan
