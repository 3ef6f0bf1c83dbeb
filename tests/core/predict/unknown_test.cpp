#include <gmock/gmock.h>

#include "core/predict/predict.h"
#include "core/stack/shared.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/random_stack.h"

/// Predictions for stacks with operators without a corresponding layer.
namespace highwater::predict::testing {
namespace {

using ::testing::HasSubstr;

/// Layers of one tensor, each of which could be an unknown operator.
bool canBeUnknown(const stack::Op& op) {
    return !stack::learns(op) && !stack::worksInPlace(op) && !std::holds_alternative<stack::Block>(op) &&
           !std::holds_alternative<stack::Merge>(op) && !std::holds_alternative<stack::Shared>(op) &&
           !std::holds_alternative<stack::WindowMask>(op);
}

/// Replaces every third such layer with `unknown`; returns the number of replacements.
int forget(std::vector<stack::Layer>& layers, const stack::StackInfo& info, std::size_t& index, int& seen) {
    int forgotten = 0;
    for (stack::Layer& layer : layers) {
        const stack::LayerInfo& here = info.layers[index++];
        if (auto* const block = std::get_if<stack::Block>(&layer.op)) {
            forgotten += forget(block->layers, info, index, seen);
        } else if (canBeUnknown(layer.op) && seen++ % 3 == 0) {
            stack::Unknown unknown{here.type, here.output, {}};
            unknown.shape.front() /= info.input.front();
            layer.op = unknown;
            ++forgotten;
        }
    }
    return forgotten;
}

void expectBound(const stack::Experiment& whole, const stack::Experiment& less, const Target& target) {
    const auto info = stack::inferShapes(less);
    ASSERT_TRUE(info) << info.error().message;
    const auto known = predict(whole, *stack::inferShapes(whole), target),
               bound = predict(less, *info, target);
    ASSERT_TRUE(known && bound);
    // Each of them counts as one byte, and so does each of its gradients; a GPU allocates 512 for it.
    const auto slack = static_cast<base::Bytes>(info->layers.size()) * 2 * (target.gpu ? 512 : 1);
    EXPECT_LE(bound->peakAllocated.low, known->peakAllocated.expected + slack);
    EXPECT_LE(bound->peakAllocated.expected, known->peakAllocated.high + slack);
    EXPECT_NE(bound->fits, Fits::Yes);
    EXPECT_FALSE(bound->exact());
    ASSERT_FALSE(bound->unknown.empty());
    EXPECT_THAT(bound->guesses.front(), HasSubstr("no layer represents " + bound->unknown.front()));
}

TEST(Unknown, IsABoundFromBelow) {
    int stacks = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        SCOPED_TRACE(seed);
        stack::testing::RandomLimits limits;
        limits.checkpoint = seed % 4 == 0;
        limits.classTokens = true;
        const stack::Experiment whole = stack::testing::randomExperiment(seed, limits);
        stack::Experiment less = whole;
        std::size_t index = 0;
        int seen = 0;
        if (forget(less.stack, *stack::inferShapes(whole), index, seen) == 0) {
            continue;
        }
        ++stacks;
        Target cpu;
        cpu.memory = base::Bytes{1} << 40;
        expectBound(whole, less, cpu);
        const auto gpu = gpuTarget("rtx3090", whole);
        ASSERT_TRUE(gpu) << gpu.error().message;
        expectBound(whole, less, *gpu);
    }
    EXPECT_GT(stacks, 500);
}

/// Parts left out by an import are not counted, or counted too high: the answer is a bound.
TEST(Unknown, WhatAnImportLeftOutMakesABound) {
    auto made = stack::testing::experimentOf(
        "[1, 256, 256, 256]",
        R"({"type": "conv", "out_channels": 16, "kernel_size": 3, "padding": 1}, {"type": "relu"},
           {"type": "conv", "out_channels": 1, "kernel_size": 1})",
        R"("loss": "mean", "step": {"batch_size": 2})");
    ASSERT_TRUE(made) << made.error().message;
    stack::Experiment& e = *made;
    const auto info = stack::inferShapes(e);
    ASSERT_TRUE(info) << info.error().message;
    auto target = gpuTarget("a100-80", e);
    ASSERT_TRUE(target) << target.error().message;
    const auto predicted = [&](const stack::LeftOut& left, base::Bytes others = 0) {
        e.leftOut = left;
        target->others = others;
        return *predict(e, *info, *target);
    };
    const base::Bytes most = target->memory - 3 * base::kGiB;
    EXPECT_EQ(predicted({}).fits, Fits::Yes);
    EXPECT_EQ(predicted({}, most).fits, Fits::No);
    const Prediction parameters = predicted({.parameters = 8'000'000});
    EXPECT_EQ(parameters.fits, Fits::Uncertain);
    EXPECT_TRUE(parameters.atLeast());
    EXPECT_FALSE(parameters.exact());
    EXPECT_THAT(parameters.unknown, ::testing::ElementsAre("8.00 M parameters that were left out"));
    EXPECT_EQ(predicted({.parameters = 8'000'000}, most).fits, Fits::No);
    EXPECT_EQ(predicted({.outputs = 1}).fits, Fits::Uncertain);
    const Prediction checkpoints = predicted({.checkpoints = 2});
    EXPECT_EQ(checkpoints.fits, Fits::Yes) << "it needs no more than without them";
    EXPECT_TRUE(checkpoints.atMost());
    EXPECT_THAT(checkpoints.guesses.front(), HasSubstr("2 activation checkpoints of the network are not"));
    EXPECT_EQ(predicted({.checkpoints = 2}, most).fits, Fits::Uncertain);
    EXPECT_EQ(predicted({.parameters = 1, .checkpoints = 1}).fits, Fits::Uncertain);
    EXPECT_EQ(predicted({.parameters = 1, .checkpoints = 1}, most).fits, Fits::Uncertain);
}

}  // namespace
}  // namespace highwater::predict::testing
