#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "tests/core/engine/training.h"
#include "tests/core/stack/random_plan.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::engine::testing {
namespace {

using stack::Checkpointing;
using stack::Experiment;
using ::testing::Values;

/// One and two threads.
class Checkpoint : public ::testing::TestWithParam<int> {
protected:
    /// Trains with and without checkpoints; returns the peaks (with, without).
    std::pair<Bytes, Bytes> expectEqual(const Experiment& experiment, int steps = 3) {
        const Outcome with = train(experiment, steps, GetParam());
        const Outcome without = train(uncheckpointed(experiment), steps, GetParam());
        EXPECT_EQ(difference(with, without), "");
        EXPECT_EQ(without.segments, 1U);
        return {with.peak, without.peak};
    }
};
INSTANTIATE_TEST_SUITE_P(Threads, Checkpoint, Values(1, 2));

TEST_P(Checkpoint, BlocksOfConvolutionNormAndDropoutAreEqualToTheBit) {
    const auto [with, without] = expectEqual(parse(R"("input": {"synthetic": [2, 12, 12, 12]}, "loss": "mean",
        "stack": [
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"},
            {"type": "relu", "inplace": true}, {"type": "dropout", "p": 0.3}]},
          {"type": "conv", "out_channels": 8, "padding": 1},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"},
            {"type": "leaky_relu", "inplace": true}, {"type": "dropout", "p": 0.5, "feature": true}]},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "conv", "out_channels": 4, "padding": 1}, {"type": "batch_norm"}, {"type": "silu"}]}],
        "step": {"batch_size": 2, "seed": 3})"));
    EXPECT_LT(with, without);
}

TEST_P(Checkpoint, RunningStatisticsAreUpdatedOnce) {
    const Experiment e = parse(R"("input": {"synthetic": [1, 8, 8]}, "loss": "mean",
        "stack": [{"type": "block", "checkpoint": true, "layers": [
          {"type": "conv", "out_channels": 3, "padding": 1}, {"type": "batch_norm"}]}])");
    const Outcome once = train(e, 1, GetParam());
    ASSERT_EQ(once.buffers.size(), 2U);
    const Outcome plain = train(uncheckpointed(e), 1, GetParam());
    EXPECT_TRUE(at::equal(once.buffers[0], plain.buffers[0]));
    EXPECT_TRUE(at::equal(once.buffers[1], plain.buffers[1]));
    EXPECT_FALSE(at::equal(once.buffers[1], at::ones_like(once.buffers[1])));
}

TEST_P(Checkpoint, ABlockThatBeginsInPlaceKeepsItsInput) {
    expectEqual(parse(R"("input": {"synthetic": [1, 10, 10, 10]}, "loss": "mean",
        "stack": [
          {"type": "conv", "out_channels": 6, "padding": 1}, {"type": "batch_norm"},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "leaky_relu", "inplace": true}, {"type": "conv", "out_channels": 6, "padding": 1}]},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "dropout", "p": 0}, {"type": "relu", "inplace": true},
            {"type": "conv", "out_channels": 6, "padding": 1}]},
          {"type": "silu", "inplace": true},
          {"type": "conv", "out_channels": 1, "padding": 1}],
        "optimizer": {"type": "sgd", "lr": 0.5})"));
}

TEST_P(Checkpoint, IdsCrossSegmentsBothWays) {
    expectEqual(parse(R"("input": {"synthetic": [1, 8, 8, 8]}, "loss": "mse",
        "stack": [
          {"type": "conv", "out_channels": 4, "padding": 1, "id": "a"},
          {"type": "block", "checkpoint": true, "id": "b", "layers": [
            {"type": "conv", "out_channels": 4, "padding": 1}, {"type": "batch_norm"},
            {"type": "relu", "id": "inner"}, {"type": "conv", "out_channels": 4, "padding": 1},
            {"type": "add", "with": "a"}]},
          {"type": "concat", "with": "inner"},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "conv", "out_channels": 4, "padding": 1}, {"type": "add", "with": "a"},
            {"type": "add", "with": "b"}, {"type": "gelu"}, {"type": "add", "with": "a"}]},
          {"type": "add", "with": "inner"}, {"type": "add", "with": "a"},
          {"type": "conv", "out_channels": 1, "kernel_size": 1}],
        "step": {"batch_size": 2})"));
}

TEST_P(Checkpoint, BranchesCrossSegments) {
    const Experiment e = parse(R"("input": {"synthetic": [1, 8, 8, 8]}, "loss": "mse",
        "stack": [
          {"type": "conv", "out_channels": 4, "padding": 1}, {"type": "leaky_relu", "inplace": true, "id": "x"},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "avg_pool"}, {"type": "conv", "out_channels": 6, "kernel_size": 1, "bias": false},
            {"type": "instance_norm", "affine": true, "id": "skip"}, {"type": "branch", "with": "x"},
            {"type": "conv", "out_channels": 6, "padding": 1, "stride": 2}, {"type": "add", "with": "skip"},
            {"type": "leaky_relu", "inplace": true, "id": "y"}]},
          {"type": "conv_transpose", "out_channels": 1, "stride": 2, "id": "z"},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "branch", "with": "y"}, {"type": "head", "out_channels": 1}, {"type": "silu"},
            {"type": "upsample"}, {"type": "concat", "with": "z"},
            {"type": "conv", "out_channels": 1, "padding": 1}]}],
        "step": {"batch_size": 2})");
    expectEqual(e);
    const Outcome plain = train(uncheckpointed(e), 2, GetParam());
    for (const std::int64_t segments : {2, 3, 4}) {
        Experiment cut = e;
        cut.step.checkpoint = {Checkpointing::Kind::Segments, segments};
        EXPECT_EQ(difference(train(cut, 2, GetParam()), plain), "") << segments;
    }
}

TEST_P(Checkpoint, NestedBlocksRecomputeWithinRecompute) {
    const char* const stack = R"("input": {"synthetic": [1, 16, 16]}, "loss": "mean",
        "stack": [
          {"type": "conv", "out_channels": 8, "padding": 1},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "block", "checkpoint": true, "layers": [
              {"type": "conv", "out_channels": 8, "padding": 1, "id": "s"}, {"type": "batch_norm"},
              {"type": "relu"}, {"type": "dropout", "p": 0.5}]},
            {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"},
            {"type": "block", "layers": [
              {"type": "block", "checkpoint": true, "layers": [
                {"type": "elu", "inplace": true}, {"type": "conv", "out_channels": 8, "padding": 1},
                {"type": "dropout", "p": 0.25}, {"type": "add", "with": "s"}]}]}]},
          {"type": "add", "with": "s"}, {"type": "conv", "out_channels": 2, "padding": 1}],
        "step": {"batch_size": 3})";
    expectEqual(parse(stack));
}

TEST_P(Checkpoint, SquareRootAndSegmentsAreEqualToTheBit) {
    const Experiment e = parse(R"("input": {"synthetic": [1, 12, 12, 12]}, "loss": "mean",
        "stack": [
          {"type": "conv", "out_channels": 6, "padding": 1}, {"type": "batch_norm"}, {"type": "relu", "inplace": true},
          {"type": "conv", "out_channels": 6, "padding": 1}, {"type": "batch_norm"}, {"type": "relu", "inplace": true},
          {"type": "dropout", "p": 0.2}, {"type": "conv", "out_channels": 6, "padding": 1}, {"type": "gelu"},
          {"type": "conv", "out_channels": 2, "padding": 1}])");
    const Outcome plain = train(e, 2, GetParam());
    EXPECT_EQ(plain.segments, 1U);
    for (const auto& [kind, segments] : {std::pair{Checkpointing::Kind::Sqrt, 0},
                                         {Checkpointing::Kind::Segments, 2},
                                         {Checkpointing::Kind::Segments, 4},
                                         {Checkpointing::Kind::Segments, 99}}) {
        Experiment cut = e;
        cut.step.checkpoint = {kind, segments};
        const Outcome outcome = train(cut, 2, GetParam());
        EXPECT_EQ(difference(outcome, plain), "") << segments;
        EXPECT_GT(outcome.segments, 1U);
        if (segments < 99) {
            EXPECT_LT(outcome.peak, plain.peak) << segments;
        }
    }
}

TEST_P(Checkpoint, UNetPresetHasALowerPeakAndEqualGradients) {
    const auto presets = stack::loadPresets();
    ASSERT_TRUE(presets.ok()) << presets.error().message;
    for (const stack::Preset& preset : *presets) {
        if (preset.id != "unet-3d") {
            continue;
        }
        Experiment e = preset.experiment;
        e.input = stack::SyntheticInput{{1, 32, 32, 32}};
        const auto [with, without] = expectEqual(e, 2);
        EXPECT_LT(with, without);
        return;
    }
    FAIL() << "no preset unet-3d";
}

TEST_P(Checkpoint, RandomStacksAreEqualToTheBit) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.elements = 1 << 13;
    int checkpointed = 0;
    const std::uint64_t first = GetParam() == 1 ? 0 : 1000, count = GetParam() == 1 ? 80 : 15;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Experiment e = stack::testing::randomExperiment(seed, limits);
        if (!stack::checkSupported(e, *stack::inferShapes(e), false)) {
            continue;
        }
        const Outcome with = train(e, 2, GetParam());
        checkpointed += with.segments > 1;
        EXPECT_EQ(difference(with, train(uncheckpointed(e), 2, GetParam())), "") << "seed " << seed;
    }
    EXPECT_GT(checkpointed, static_cast<int>(count / 5));
}

TEST_P(Checkpoint, APlanRecomputesNormAndActivationAndKeepsTheConvolutionsOutput) {
    Experiment e = parse(R"("input": {"synthetic": [1, 16, 16, 16]}, "loss": "mean",
        "stack": [
          {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"}, {"type": "relu"},
          {"type": "conv", "out_channels": 8, "padding": "same"}, {"type": "batch_norm"}, {"type": "relu"},
          {"type": "conv_transpose", "out_channels": 8, "stride": 2}, {"type": "batch_norm"}, {"type": "relu"},
          {"type": "conv", "out_channels": 8, "stride": 2, "bias": false}, {"type": "relu"},
          {"type": "conv", "out_channels": 2, "kernel_size": 1}],
        "step": {"batch_size": 2})");
    e.step.checkpoint = {Checkpointing::Kind::Plan, 2, {{1, 4, {}}, {4, 7, {}}, {7, 10, {}}}};
    const auto [with, without] = expectEqual(e);
    EXPECT_LT(with, without);
}

/// The gradients are equal except for rounding.
void expectAgreement(const Outcome& a, const Outcome& b) {
    ASSERT_EQ(a.gradients.size(), b.gradients.size());
    for (std::size_t i = 0; i < a.gradients.size(); ++i) {
        ASSERT_EQ(a.gradients[i].defined(), b.gradients[i].defined());
        EXPECT_TRUE(!a.gradients[i].defined() || at::allclose(a.gradients[i], b.gradients[i], 1e-4, 1e-6))
            << "gradient " << i;
    }
}

/// A few differ by rounding: the gradients of a value that is read three times or more are added in another
/// order where its readers lie in several parts (local_response_norm reads its input three times), and
/// LibTorch's matmul may round otherwise where no graph is recorded, as in the first forward of a part.
TEST_P(Checkpoint, RandomPlansOfRandomStacksHaveTheGradientsOfThePlainOnes) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    limits.elements = 1 << 13;
    int planned = 0, equal = 0, all = 0;
    const std::uint64_t first = GetParam() == 1 ? 0 : 1000, count = GetParam() == 1 ? 80 : 15;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Experiment e =
            stack::testing::withRandomPlan(stack::testing::randomExperiment(seed, limits), seed);
        if (!stack::checkSupported(e, *stack::inferShapes(e), false)) {
            continue;
        }
        const Outcome with = train(e, 1, GetParam()), without = train(uncheckpointed(e), 1, GetParam());
        ++all;
        planned += with.segments > 1 ? 1 : 0;
        equal += difference(with, without).empty() ? 1 : 0;
        SCOPED_TRACE(seed);
        expectAgreement(with, without);
    }
    EXPECT_GT(planned, static_cast<int>(count / 2));
    EXPECT_GE(equal, all * 9 / 10);
}

/// Nothing is computed twice, and the data that comes back equals the data that was sent.
TEST_P(Checkpoint, OffloadedPartsOfRandomStacksAreEqualToTheBit) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv"};
    limits.elements = 1 << 13;
    int offloaded = 0, equal = 0, all = 0;
    const std::uint64_t first = GetParam() == 1 ? 0 : 1000, count = GetParam() == 1 ? 80 : 15;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Experiment plain = uncheckpointed(stack::testing::randomExperiment(seed, limits));
        if (!stack::checkSupported(plain, *stack::inferShapes(plain), false)) {
            continue;
        }
        const Experiment plan = stack::testing::withRandomPlan(plain, seed, true);
        const Outcome with = train(plan, 2, GetParam()), without = train(plain, 2, GetParam());
        ++all;
        offloaded += stack::offloads(plan.step.checkpoint.plan) && with.segments > 1 ? 1 : 0;
        equal += difference(with, without).empty() ? 1 : 0;
        SCOPED_TRACE(seed);
        expectAgreement(with, without);
    }
    EXPECT_GT(offloaded, static_cast<int>(count / 3));
    EXPECT_GE(equal, all * 9 / 10);
}

}  // namespace
}  // namespace highwater::engine::testing
