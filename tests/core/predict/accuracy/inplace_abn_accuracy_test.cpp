#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/engine/kernels/abn_cuda.h"
#include "core/predict/ghost/inplace_abn.h"
#include "tests/core/predict/accuracy/foretold.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/stack/with_inplace_abn.h"

namespace highwater::predict::testing {
namespace {

/// Random stacks with inplace_abn; every third in micro batches; std::nullopt if none can be inserted.
std::optional<Case> makeAbnCase(int seed) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.elements = 1 << 14;
    limits.layers = 8;
    Case made;
    made.seed = seed;
    made.experiment = stack::testing::randomExperiment(9000 + static_cast<std::uint64_t>(seed), limits);
    const stack::testing::WithInplaceAbn with(made.experiment, static_cast<std::uint64_t>(seed));
    if (with.made() == 0) {
        return std::nullopt;
    }
    made.experiment.backend.threads = seed % 2 == 0 ? 1 : 2;
    if (seed % 3 == 0) {
        made.experiment.step.microBatches = made.experiment.step.batchSize;
    }
    const auto info = stack::inferShapes(made.experiment);
    if (!info) {  // a micro batch would have a single value per channel
        return std::nullopt;
    }
    made.info = *info;
    return made;
}

TEST(InplaceAbnAccuracy, PartialSumsOfAGpuAreAsManyAsTheKernelsWrite) {
    for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{2, 16, 64, 64, 64},
                                                  {1, 3, 7, 9},
                                                  {64, 40, 1},
                                                  {2, 300, 3, 3},
                                                  {8, 1, 5000},
                                                  {4, 1, 128, 128},
                                                  {3, 2048, 4, 4},
                                                  {2, 32, 256, 256, 256}}) {
        for (const bool channelsLast : {false, true}) {
            engine::kernels::AbnShape shape{dims[0], dims[1], 1, false};
            for (std::size_t axis = 2; axis < dims.size(); ++axis) {
                shape.positions *= dims[axis];
            }
            // A tensor with one channel, or with three axes, is contiguous whatever format was requested.
            shape.channelsLast = (channelsLast && dims.size() > 3 && dims[1] > 1 && shape.positions > 1) ||
                                 shape.positions == 1;
            const ghost::Dims ghost(dims);
            EXPECT_EQ(ghost::abnPassingBytes(ghost, channelsLast, 3),
                      4 * engine::kernels::abnMomentFloats(shape));
            EXPECT_EQ(ghost::abnPassingBytes(ghost, channelsLast, 2),
                      4 * engine::kernels::abnSumFloats(shape));
        }
    }
}

bool hasSegments(const std::vector<stack::Layer>& layers) {
    return std::any_of(layers.begin(), layers.end(), [](const stack::Layer& layer) {
        const auto* const block = std::get_if<stack::Block>(&layer.op);
        return block != nullptr && (block->checkpoint || hasSegments(block->layers));
    });
}

TEST(InplaceAbnAccuracy, RandomStacksAreForetoldAllocationByAllocation) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    constexpr int kStacks = 150;
    int checkpointed = 0;
    const int stacks = expectForetold(kStacks, makeAbnCase, [&](const Case& each) {
        checkpointed += hasSegments(each.experiment.stack) ? 1 : 0;
    });
    EXPECT_GE(stacks, kStacks / 2);
    EXPECT_GE(checkpointed, 10);
}

}  // namespace
}  // namespace highwater::predict::testing
