#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engine/layers/own_kernels.h"
#include "core/engine/run/runner.h"
#include "tests/core/engine/training.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/stack/with_inplace_abn.h"

/// InPlace-ABN in stacks that train: checkpoints, micro-batches, and what a unit keeps.
namespace highwater::engine::testing {
namespace {

using stack::Experiment;

class InplaceAbnStack : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, InplaceAbnStack, ::testing::Values(1, 2));

TEST_P(InplaceAbnStack, CheckpointedBlocksAreEqualToTheBit) {
    const Experiment e = parse(R"("input": {"synthetic": [2, 10, 10, 10]}, "loss": "mean",
        "stack": [
          {"type": "conv", "out_channels": 6, "padding": 1}, {"type": "inplace_abn"},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "conv", "out_channels": 6, "padding": 1, "bias": false}, {"type": "inplace_abn"},
            {"type": "dropout", "p": 0.3}]},
          {"type": "conv", "out_channels": 6, "padding": 1},
          {"type": "block", "checkpoint": true, "layers": [
            {"type": "inplace_abn", "activation": "elu", "id": "skip"},
            {"type": "conv", "out_channels": 6, "padding": 1},
            {"type": "inplace_abn", "negative_slope": 0.2}, {"type": "add", "with": "skip"}]},
          {"type": "concat", "with": "skip"}, {"type": "conv", "out_channels": 2, "padding": 1}],
        "optimizer": {"type": "sgd", "lr": 0.5}, "step": {"batch_size": 2, "seed": 3})");
    const Outcome with = train(e, 3, GetParam());
    const Outcome without = train(uncheckpointed(e), 3, GetParam());
    EXPECT_EQ(difference(with, without), "");
    EXPECT_EQ(without.segments, 1U);
    for (const std::int64_t segments : {2, 3}) {
        Experiment cut = e;
        cut.step.checkpoint = {stack::Checkpointing::Kind::Segments, segments};
        EXPECT_EQ(difference(train(cut, 3, GetParam()), without), "") << segments;
    }
}

TEST_P(InplaceAbnStack, RandomStacksWithAndWithoutCheckpointsAreEqualToTheBit) {
    int checkpointed = 0;
    for (int seed = 0; seed < 60 && checkpointed < 12; ++seed) {
        stack::testing::RandomLimits limits;
        limits.without = {"custom_conv", "inplace_abn"};
        limits.elements = 1 << 12;
        limits.layers = 7;
        Experiment e = stack::testing::randomExperiment(700 + static_cast<std::uint64_t>(seed), limits);
        const stack::testing::WithInplaceAbn with(e, static_cast<std::uint64_t>(seed));
        Experiment plain = uncheckpointed(e);
        if (with.made() == 0 || e.windows) {
            continue;
        }
        const Outcome a = train(e, 2, GetParam());
        if (a.segments == 1) {
            continue;
        }
        ++checkpointed;
        EXPECT_EQ(difference(a, train(plain, 2, GetParam())), "") << "seed " << seed;
    }
    EXPECT_GE(checkpointed, 8);
}

TEST(OwnKernels, AreMissedByTheNameOfTheLayerThatNeedsThem) {
    const Experiment e = parse(R"("input": {"synthetic": [2, 8, 8]}, "loss": "mean",
        "stack": [{"type": "conv", "out_channels": 4}, {"type": "inplace_abn"}])");
    EXPECT_FALSE(missingKernels(e.stack, {}));
    if (const auto missing = missingKernels(e.stack, {true, 0})) {
        EXPECT_THAT(*missing,
                    ::testing::HasSubstr("this engine was built without nvcc: layer 2 `inplace_abn`"));
        EXPECT_THAT(*missing, ::testing::HasSubstr("use batch_norm and leaky_relu with inplace"));
    }
    const Experiment plain = parse(R"("input": {"synthetic": [2, 8, 8]}, "loss": "mean",
        "stack": [{"type": "conv", "out_channels": 4}, {"type": "batch_norm"}])");
    EXPECT_FALSE(missingKernels(plain.stack, {true, 0}));
}

/// `units` of convolution, norm and activation, with the norm given by `norm`, followed by the loss.
std::string stackOf(int units, const std::string& norm) {
    std::string layers;
    for (int i = 0; i < units; ++i) {
        layers += R"({"type": "conv", "out_channels": 8, "padding": 1, "bias": false}, )" + norm + ", ";
    }
    return R"("input": {"synthetic": [8, 12, 14, 16]}, "loss": "mean", "stack": [)" + layers +
           R"({"type": "conv", "out_channels": 1, "kernel_size": 1}], "step": {"batch_size": 2})";
}
const std::string kAbn = R"({"type": "inplace_abn"})";
const std::string kInPlace = R"({"type": "batch_norm"}, {"type": "leaky_relu", "inplace": true})";
const std::string kOutOfPlace = R"({"type": "batch_norm"}, {"type": "leaky_relu"})";

wire::RunResult runOf(const std::string& members, int threads) {
    RunRequest request;
    request.experiment = parse(members);
    request.experiment.backend.threads = threads;
    request.steps = 2;
    request.warmup = 0;
    const std::atomic<bool> cancel{false};
    const auto result = run(request, [](const wire::Event&) {}, cancel);
    EXPECT_TRUE(result) << result.error().message;
    return *result;
}

/// What the layers of a run keep for backward: activations at the end of the forward.
Bytes kept(const wire::RunResult& result) {
    Bytes sum = 0;
    for (const wire::LayerCost& layer : result.layers) {
        sum += layer.activationBytes;
    }
    return sum;
}

TEST_P(InplaceAbnStack, AUnitKeepsOneFullSizeTensorLessToTheByte) {
    constexpr Bytes kTensor = 4 * 2 * 8 * 12 * 14 * 16, kStatistic = 4 * 8;
    constexpr int kUnits = 4;
    const Bytes abn = kept(runOf(stackOf(kUnits, kAbn), GetParam()));
    // batch_norm keeps its mean as well as the inverse deviation.
    EXPECT_EQ(kept(runOf(stackOf(kUnits, kInPlace), GetParam())) - abn, kUnits * (kTensor + kStatistic));
    EXPECT_EQ(kept(runOf(stackOf(kUnits, kOutOfPlace), GetParam())) - abn,
              kUnits * (2 * kTensor + kStatistic));
}

TEST_P(InplaceAbnStack, ThePeakGrowsByOneTensorAUnit) {
    constexpr Bytes kTensor = 4 * 2 * 8 * 12 * 14 * 16;
    const auto growth = [&](const std::string& norm) {
        return runOf(stackOf(9, norm), GetParam()).peakAllocated -
               runOf(stackOf(5, norm), GetParam()).peakAllocated;
    };
    // Beside the tensors: weights with gradients and the optimizer's state, and statistics; the same, but one
    // statistic, for all.
    EXPECT_EQ(growth(kInPlace) - growth(kAbn), 4 * (kTensor + 4 * 8));
    EXPECT_EQ(growth(kOutOfPlace) - growth(kAbn), 4 * (2 * kTensor + 4 * 8));
}

TEST_P(InplaceAbnStack, LossesFollowThoseOfBatchNormAndLeakyRelu) {
    // |weight| + eps is 1 + 1e-5 where batch_norm has 1.
    const Outcome ours = train(parse(stackOf(3, kAbn)), 4, GetParam());
    const Outcome theirs = train(parse(stackOf(3, kInPlace)), 4, GetParam());
    for (std::size_t i = 0; i < ours.losses.size(); ++i) {
        EXPECT_NEAR(ours.losses[i], theirs.losses[i], 1e-3 * std::abs(theirs.losses[i])) << i;
    }
}

TEST_P(InplaceAbnStack, MicroBatchesTrainAsThoseOfBatchNorm) {
    const std::string members = stackOf(2, kAbn);
    Experiment e = parse(members), plain = parse(stackOf(2, kInPlace));
    for (Experiment* const each : {&e, &plain}) {
        each->step.microBatches = 2;
        each->backend.threads = GetParam();
    }
    RunRequest request;
    request.experiment = e;
    request.steps = 2;
    request.warmup = 0;
    const std::atomic<bool> cancel{false};
    const auto ours = run(request, [](const wire::Event&) {}, cancel);
    request.experiment = plain;
    const auto theirs = run(request, [](const wire::Event&) {}, cancel);
    ASSERT_TRUE(ours) << ours.error().message;
    ASSERT_TRUE(theirs) << theirs.error().message;
    EXPECT_NEAR(ours->lossFirst, theirs->lossFirst, 1e-3 * std::abs(theirs->lossFirst));
    EXPECT_NEAR(ours->lossLast, theirs->lossLast, 1e-3 * std::abs(theirs->lossLast));
}

TEST_P(InplaceAbnStack, EvaluationNeedsNoMoreThanTheConvolutions) {
    Experiment e = parse(stackOf(4, kAbn));
    e.step.train = false;
    const auto peak = [&](const Experiment& of) {
        RunRequest request;
        request.experiment = of;
        request.experiment.backend.threads = GetParam();
        request.steps = 1;
        request.warmup = 0;
        const std::atomic<bool> cancel{false};
        const auto result = run(request, [](const wire::Event&) {}, cancel);
        EXPECT_TRUE(result) << result.error().message;
        return result->peakAllocated;
    };
    Experiment bare = e;
    std::erase_if(bare.stack, [](const stack::Layer& each) {
        return std::holds_alternative<stack::InplaceAbn>(each.op);
    });
    EXPECT_EQ(peak(e) - peak(bare), 4 * 4 * 4 * 8);  // weight, bias and two running statistics a unit
}

}  // namespace
}  // namespace highwater::engine::testing
