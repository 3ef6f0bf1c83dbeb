#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/engine/runner.h"
#include "tests/core/predict/accuracy.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/stack/with_inplace_abn.h"

namespace highwater::predict::testing {
namespace {

/// Random stacks with inplace_abn; every third in micro batches; nothing where none fits in.
std::optional<Case> makeAbnCase(int seed) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.elements = 1 << 14;
    limits.layers = 8;
    Case made;
    made.seed = seed;
    made.experiment = stack::testing::randomExperiment(9000 + static_cast<std::uint64_t>(seed), limits);
    const stack::testing::WithInplaceAbn with(made.experiment, static_cast<std::uint64_t>(seed));
    if (with.made() == 0)
        return std::nullopt;
    made.experiment.backend.threads = seed % 2 == 0 ? 1 : 2;
    if (seed % 3 == 0)
        made.experiment.step.microBatches = made.experiment.step.batchSize;
    const auto info = stack::inferShapes(made.experiment);
    if (!info)  // a micro batch has a single value a channel
        return std::nullopt;
    made.info = *info;
    return made;
}

bool hasSegments(const std::vector<stack::Layer>& layers) {
    return std::any_of(layers.begin(), layers.end(), [](const stack::Layer& layer) {
        const auto* const block = std::get_if<stack::Block>(&layer.op);
        return block != nullptr && (block->checkpoint || hasSegments(block->layers));
    });
}

TEST(InplaceAbnAccuracy, RandomStacksAreForetoldAllocationByAllocation) {
    if (const std::string here = engine::environment("cpu").versions.at("libtorch");
        !here.starts_with("1.13"))
        GTEST_SKIP() << "the CPU's rules are those of LibTorch 1.13; this is " << here;
    constexpr int kStacks = 150;
    Accuracy accuracy;
    int stacks = 0, checkpointed = 0, same = 0;
    for (int seed = 0; seed < kStacks; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const auto each = makeAbnCase(seed);
        if (!each)
            continue;
        const auto outcome = accuracy.run(*each);
        ASSERT_TRUE(outcome) << outcome.error().message;
        ++stacks;
        same += outcome->sameEvents ? 1 : 0;
        checkpointed += hasSegments(each->experiment.stack) ? 1 : 0;
        EXPECT_EQ(outcome->predicted.peak, outcome->measured.peak);
        EXPECT_EQ(outcome->predicted.atEnd, outcome->measured.atEnd);
        EXPECT_EQ(outcome->difference, "");
    }
    fmt::print("{} of {} stacks foretold allocation by allocation, {} of them checkpointed\n", same, stacks,
               checkpointed);
    EXPECT_GE(stacks, kStacks / 2);
    EXPECT_GE(checkpointed, 10);
}

}  // namespace
}  // namespace highwater::predict::testing
