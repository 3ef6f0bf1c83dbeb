#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "core/engine/runner.h"
#include "tests/core/predict/accuracy.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/stack/with_custom_conv.h"

namespace highwater::predict::testing {
namespace {

using stack::CustomConv;

/// Random stacks some of whose convolutions are custom ones; every third in micro batches; nothing where
/// none of them can be.
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
    if (with.replaced() == 0)
        return std::nullopt;
    made.experiment.backend.threads = seed % 2 == 0 ? 1 : 2;
    if (seed % 3 == 0)
        made.experiment.step.microBatches = made.experiment.step.batchSize;
    const auto info = stack::inferShapes(made.experiment);
    EXPECT_TRUE(info) << info.error().message;
    made.info = *info;
    return made;
}

void count(const std::vector<stack::Layer>& layers, std::map<CustomConv::Implementation, int>& seen) {
    for (const stack::Layer& layer : layers) {
        if (const auto* const block = std::get_if<stack::Block>(&layer.op))
            count(block->layers, seen);
        if (const auto* const custom = std::get_if<CustomConv>(&layer.op))
            ++seen[custom->implementation];
    }
}

TEST(CustomConvAccuracy, RandomStacksAreForetoldAllocationByAllocation) {
    if (const std::string here = engine::environment("cpu").versions.at("libtorch");
        !here.starts_with("1.13"))
        GTEST_SKIP() << "the CPU's rules are those of LibTorch 1.13; this is " << here;
    constexpr int kStacks = 60;
    Accuracy accuracy;
    std::map<CustomConv::Implementation, int> seen;
    int stacks = 0, same = 0;
    for (int seed = 0; seed < kStacks; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const auto each = makeCustomCase(seed);
        if (!each)
            continue;
        const auto outcome = accuracy.run(*each);
        ASSERT_TRUE(outcome) << outcome.error().message;
        ++stacks;
        same += outcome->sameEvents ? 1 : 0;
        count(each->experiment.stack, seen);
        EXPECT_EQ(outcome->predicted.peak, outcome->measured.peak);
        EXPECT_EQ(outcome->predicted.atEnd, outcome->measured.atEnd);
        EXPECT_EQ(outcome->difference, "");
    }
    fmt::print("{} of {} stacks foretold allocation by allocation\n", same, stacks);
    EXPECT_GE(stacks, kStacks * 3 / 4);
    for (const auto kind : {CustomConv::Implementation::Naive, CustomConv::Implementation::TwoStep,
                            CustomConv::Implementation::Cached, CustomConv::Implementation::Fused})
        EXPECT_GE(seen[kind], 10);
}

}  // namespace
}  // namespace highwater::predict::testing
