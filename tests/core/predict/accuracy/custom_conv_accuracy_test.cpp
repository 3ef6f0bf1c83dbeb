#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/core/predict/accuracy/foretold.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/stack/with_custom_conv.h"

namespace highwater::predict::testing {
namespace {

using stack::CustomConv;

/// Random stacks in which some convolutions are custom ones; every third in micro batches; std::nullopt if
/// none can be.
std::optional<Case> makeCustomCase(int seed) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.elements = 1 << 13;
    limits.layers = 6;
    Case made;
    made.seed = seed;
    made.experiment = stack::testing::randomExperiment(5000 + static_cast<std::uint64_t>(seed), limits);
    stack::testing::WithCustomConv with(static_cast<std::uint64_t>(seed));
    with.replace(made.experiment.stack);
    if (with.replaced() == 0) {
        return std::nullopt;
    }
    made.experiment.backend.threads = seed % 2 == 0 ? 1 : 2;
    if (seed % 3 == 0) {
        made.experiment.step.microBatches = made.experiment.step.batchSize;
    }
    const auto info = stack::inferShapes(made.experiment);
    EXPECT_TRUE(info) << info.error().message;
    made.info = *info;
    return made;
}

void count(const std::vector<stack::Layer>& layers, std::map<CustomConv::Implementation, int>& seen) {
    for (const stack::Layer& layer : layers) {
        if (const auto* const block = std::get_if<stack::Block>(&layer.op)) {
            count(block->layers, seen);
        }
        if (const auto* const custom = std::get_if<CustomConv>(&layer.op)) {
            ++seen[custom->implementation];
        }
    }
}

TEST(CustomConvAccuracy, RandomStacksAreForetoldAllocationByAllocation) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    constexpr int kStacks = 60;
    std::map<CustomConv::Implementation, int> seen;
    const int stacks = expectForetold(kStacks, makeCustomCase,
                                      [&](const Case& each) { count(each.experiment.stack, seen); });
    EXPECT_GE(stacks, kStacks * 3 / 4);
    for (const auto kind : {CustomConv::Implementation::Naive, CustomConv::Implementation::TwoStep,
                            CustomConv::Implementation::Cached, CustomConv::Implementation::Fused}) {
        EXPECT_GE(seen[kind], 10);
    }
}

}  // namespace
}  // namespace highwater::predict::testing
