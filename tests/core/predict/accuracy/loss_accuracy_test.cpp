#include <gtest/gtest.h>

#include <array>

#include "tests/core/predict/accuracy/foretold.h"

/// Losses of probabilities on random stacks: predictions compared with measurements.
namespace highwater::predict::testing {
namespace {

/// The case with such a loss.
std::optional<Case> binary(int seed) {
    constexpr std::array kLosses = {stack::Loss::Bce, stack::Loss::SigmoidDice, stack::Loss::SigmoidDiceBce};
    Case made = makeCase(seed);
    if (made.experiment.loss == stack::Loss::Mean) {
        return std::nullopt;
    }
    made.experiment.step.softTargets = false;
    made.experiment.loss = kLosses[static_cast<std::size_t>(seed) % kLosses.size()];
    made.experiment.target.kind = stack::Target::Kind::Classes;
    made.experiment.target.classes = 2;
    const auto info = stack::inferShapes(made.experiment);
    if (!info) {
        return std::nullopt;
    }
    made.info = *info;
    return made;
}

TEST(LossAccuracy, EveryAllocationOfLossesOfProbabilities) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    std::map<stack::Loss, int> seen;
    expectForetold(60, binary, [&](const Case& each) { ++seen[each.experiment.loss]; });
    EXPECT_EQ(seen.size(), 3U);
}

}  // namespace
}  // namespace highwater::predict::testing
