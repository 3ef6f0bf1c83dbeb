#include "core/predict/fit/step_costs.h"

#include <algorithm>

#include "core/predict/fit/roofline.h"
#include "core/predict/fit/summary.h"

namespace highwater::predict {

namespace {

using memory::Phase;

/// Follows the events of the second step up to the end of its first backward pass.
class CostReader {
public:
    CostReader(const Walk& walk, StepCosts& costs) : walk_(walk), costs_(costs), live_(walk) {}

    void read() {
        for (const WalkEvent& event : walk_.events) {
            const bool counts = event.step == Walk::kSteps - 1 && !passed(event.phase);
            if (counts) {
                moveTo(event.phase, event.layer);
            }
            live_.pass(event);
            if (counts) {
                count(event);
            }
        }
    }

private:
    LayerCost& of(int layer) {
        return layer < 0 ? costs_.loss : costs_.layers[static_cast<std::size_t>(layer)];
    }
    base::Bytes now() const { return live_.total().expected; }
    base::Bytes bytesOf(std::uint32_t block) const { return walk_.blocks[block].bytes.expected; }

    /// Whether the first backward pass has ended.
    bool passed(Phase phase) {
        ended_ = ended_ || (backward_ && phase != Phase::Backward);
        return ended_;
    }

    void moveTo(Phase phase, int layer) {
        if (phase == Phase::Backward && !backward_) {
            backward_ = true;
            for (const auto& [block, owner] : made_) {
                of(owner).saved += bytesOf(block);
            }
        }
        if (phase != phase_ || layer != layer_) {
            phase_ = phase;
            layer_ = layer;
            start_ = now();
        }
    }

    void count(const WalkEvent& event) {
        LayerCost& cost = of(event.layer);
        if (event.phase == Phase::Forward) {
            cost.forwardOver = std::max(cost.forwardOver, now() - start_);
            if (event.kind == WalkEvent::Kind::Allocate) {
                made_.emplace_back(event.block, event.layer);
            } else if (event.kind == WalkEvent::Kind::Free) {
                std::erase_if(made_, [&](const auto& each) { return each.first == event.block; });
            }
        } else if (event.phase == Phase::Backward) {
            cost.backwardOver = std::max(cost.backwardOver, now() - start_);
            if (event.category == memory::Category::Gradients && event.kind != WalkEvent::Kind::Free) {
                cost.gradients += bytesOf(event.block);
            }
        }
    }

    const Walk& walk_;
    StepCosts& costs_;
    Live live_;
    bool backward_ = false, ended_ = false;
    Phase phase_ = Phase::Setup;
    int layer_ = -2;
    base::Bytes start_ = 0;
    std::vector<std::pair<std::uint32_t, int>> made_;  ///< allocated in the forward and live: the block and
                                                       ///< its layer
};

}  // namespace

StepCosts stepCosts(const Walk& walk, const Target& target) {
    StepCosts costs;
    costs.layers.resize(walk.activationBytes.size());
    CostReader(walk, costs).read();
    const std::vector<TimeEstimate> times = operatorTimes(walk, target);
    for (std::size_t i = walk.stepOp[Walk::kSteps - 1]; i < walk.ops.size(); ++i) {
        const WalkOp& op = walk.ops[i];
        LayerCost& cost = op.layer < 0 ? costs.loss : costs.layers[static_cast<std::size_t>(op.layer)];
        if (op.phase == Phase::Forward) {
            cost.forwardMs += times[i].expected;
        } else if (op.phase == Phase::Backward) {
            cost.backwardMs += times[i].expected;
        }
    }
    return costs;
}

}  // namespace highwater::predict
