#include <gmock/gmock.h>

#include <algorithm>

#include "core/predict/ghost/walk.h"
#include "tests/core/predict/walked.h"

/// Whole steps, computed by hand: micro batches, optimizers, losses, rows of the calibration.
namespace highwater::predict::testing {
namespace {

using memory::Category;
using memory::Phase;
using ::testing::Contains;
using ::testing::ElementsAre;

TEST(Walk, MicroBatchesKeepGradientsAndShareTheInput) {
    const Walked w = walked(
        kInput, kConv + ", " + kOne,
        R"("loss": "mean", "optimizer": {"type": "sgd"}, "step": {"batch_size": 4, "micro_batches": 2})");
    const base::Bytes gradients = 64 + 80;
    std::size_t backwards = 0;
    for (std::size_t i = w.walk.stepEvent[1] + 1; i < w.walk.events.size(); ++i) {
        if (w.walk.events[i].phase == Phase::Forward && w.walk.events[i - 1].phase == Phase::Backward) {
            ++backwards;
            EXPECT_EQ(w.before(i)[Category::Gradients], gradients);
        }
    }
    EXPECT_EQ(backwards, 1U);
    EXPECT_EQ(w.before(w.walk.stepEvent[1])[Category::Input], 4 * 64);
    EXPECT_EQ(w.highest(Category::Activations, Phase::Forward), 2 * kX);  // of two samples
    EXPECT_EQ(w.highest(Category::Gradients, Phase::Backward), gradients);
}

TEST(Walk, AConvolutionThatEndsAPartKeepsWhatItsForwardKept) {
    const auto kept = [](const std::string& plan) {
        return walked(
                   kInput, kConv + ", " + kConv + ", " + kOne,
                   R"("loss": "mean", "optimizer": {"type": "sgd"}, "step": {"batch_size": 2, "checkpoint": )" +
                       plan + "}")
            .walk.activationBytes;
    };
    EXPECT_EQ(kept(R"("none")")[1], kX);
    EXPECT_EQ(kept(R"({"plan": [[1, 2]]})")[1], kX) << "its backward needs no second forward";
}

TEST(Walk, OptimizersKeepTheirStateFromTheFirstStepOn) {
    const base::Bytes parameters = 64;
    const auto state = [&](const std::string& optimizer) {
        const Walked w = walked(kInput, kConv, batchOf2(R"("optimizer": )" + optimizer));
        EXPECT_EQ(w.before(w.walk.stepEvent[0])[Category::OptimizerState], 0);
        return w.before(w.walk.stepEvent[1])[Category::OptimizerState];
    };
    EXPECT_EQ(state(R"({"type": "sgd"})"), 0);
    EXPECT_EQ(state(R"({"type": "sgd", "momentum": 0.9})"), parameters);
    EXPECT_EQ(state(R"({"type": "adam"})"), 2 * parameters);
    EXPECT_EQ(state(R"({"type": "adamw", "amsgrad": true})"), 3 * parameters);
}

TEST(Walk, OptimizersNeedTemporariesOfOneParameterAtATime) {
    const auto passing = [](const std::string& optimizer) {
        const Walked w = walked(kInput, kConv, batchOf2(R"("optimizer": )" + optimizer));
        return w.highest(Category::Temporaries, Phase::Optimizer);
    };
    const base::Bytes weight = 48, scalar = 12;  // a number as a double and as a float
    EXPECT_EQ(passing(R"({"type": "sgd"})"), 0);
    EXPECT_EQ(passing(R"({"type": "sgd", "weight_decay": 0.1})"), weight);
    EXPECT_EQ(passing(R"({"type": "sgd", "weight_decay": 0.1, "momentum": 0.9, "nesterov": true})"),
              2 * weight);
    EXPECT_EQ(passing(R"({"type": "adam"})"), 2 * weight + scalar);
    EXPECT_EQ(passing(R"({"type": "adam", "weight_decay": 0.1})"), 3 * weight + scalar);
    EXPECT_EQ(passing(R"({"type": "adamw", "weight_decay": 0.1})"), 2 * weight + scalar);
}

TEST(Walk, WithoutTrainingNothingIsKept) {
    const Walked w = walked(kInput, kConv + R"(, {"type": "batch_norm"}, {"type": "dropout"}, )" + kOne,
                            R"("loss": "mean", "step": {"batch_size": 2, "train": false})");
    EXPECT_EQ(w.first(Phase::Backward), w.walk.events.size());
    EXPECT_EQ(w.highest(Category::Activations, Phase::Forward), 2 * kX);
    EXPECT_EQ(w.atEnd()[Category::Activations], 0);
}

TEST(Walk, TheMeanSquareErrorsNumberKeepsAWholeTensor) {
    const Walked w = walked(kInput, R"({"type": "conv", "out_channels": 1, "kernel_size": 1})",
                            R"("loss": "mse", "optimizer": {"type": "sgd"}, "step": {"batch_size": 2})");
    // The loss was allocated with the size of the output and then shrunk.
    EXPECT_EQ(w.before(Phase::Backward)[Category::Temporaries], 128);
}

TEST(Walk, AHeadJoinsTheLoss) {
    const Walked w = walked(kInput, kConv + R"(, {"type": "head", "out_channels": 4}, )" + kOne, kBatch2);
    // conv's output is read by the head and by the last conv; the outputs of the head and the stack have been
    // freed.
    EXPECT_EQ(w.before(Phase::Backward)[Category::Activations], kX);
    EXPECT_THAT(w.allocations("sum of gradients"), Contains(kX));
}

TEST(Walk, PaddingOtherThanZerosIsATensorOfItsOwn) {
    const auto kept = [](const std::string& mode) {
        const Walked w = walked(
            kInput,
            R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1, "padding_mode": ")" +
                mode + R"("})",
            kBatch2);
        return w.before(Phase::Backward)[Category::Activations];
    };
    EXPECT_EQ(kept("zeros"), 0);                 // the input is counted as input
    EXPECT_EQ(kept("reflect"), 2 * 1 * 18 * 4);  // kept by the convolution
    EXPECT_EQ(kept("circular"), 2 * 1 * 18 * 4);
}

TEST(Walk, AThreadedSumToANumberNeedsANumberAThread) {
    const auto target = [](int threads) {
        Target made;
        made.cpu.threads = threads;
        return made;
    };
    const auto experiment = stack::testing::experimentOf("[4, 16384]", kOne, kBatch2);
    ASSERT_TRUE(experiment);
    const auto info = stack::inferShapes(*experiment);
    const auto one = walk(*experiment, *info, target(1)), four = walk(*experiment, *info, target(4));
    const auto count = [](const Walk& w, base::Bytes bytes) {
        return std::count_if(w.blocks.begin(), w.blocks.end(), [&](const WalkBlock& block) {
            return block.label == "mean" && block.bytes == Estimate::of(bytes);
        });
    };
    EXPECT_EQ(count(*one, 16), 0);
    EXPECT_EQ(count(*four, 16), 2);
}

TEST(Walk, BatchNormOverOnePlaceSumsThreadByThread) {
    Target target;
    target.cpu.threads = 3;
    const auto experiment = stack::testing::experimentOf(
        "[1, 3]",
        R"({"type": "conv", "out_channels": 4, "kernel_size": 3}, {"type": "batch_norm", "affine": false})",
        kBatch2);
    ASSERT_TRUE(experiment);
    const auto made = walk(*experiment, *stack::inferShapes(*experiment), target);
    ASSERT_TRUE(made);
    const auto count = [&](std::string_view label, base::Bytes bytes) {
        return std::count_if(made->blocks.begin(), made->blocks.end(), [&](const WalkBlock& block) {
            return block.label == label && block.bytes == Estimate::of(bytes);
        });
    };
    EXPECT_EQ(count("batch_norm", 3 * 4 * 4), 2);               // 4 channels' sums of 3 threads, each step
    EXPECT_EQ(count("batch_norm backward", 2 * 3 * 4 * 4), 2);  // two sums
}

TEST(Walk, ConvolutionsOfAStepInOrderEachOnce) {
    const Walked w = walked(kInput, kConv + ", " + kOne + ", " + kOne, kBatch2);
    std::vector<std::string> texts;
    for (const ConvKey& key : convolutionsOf(w.experiment, w.info)) {
        texts.push_back(key.text());
    }
    EXPECT_THAT(texts,
                ElementsAre("conv1d/f/n2/c1,4/i16/k3/s1/p1/d1/g1/b", "conv1d/f/n2/c4,4/i16/k1/s1/p0/d1/g1/b",
                            "conv1d/b/n2/c4,4/i16/k1/s1/p0/d1/g1/b/gi/gw",
                            "conv1d/b/n2/c1,4/i16/k3/s1/p1/d1/g1/b/gw"));
}

TEST(Walk, RowsAreReplayedAroundTheResults) {
    const auto experiment = stack::testing::experimentOf(kInput, kConv, kBatch2);
    const auto info = stack::inferShapes(*experiment);
    auto table = std::make_shared<Calibration>();
    for (const ConvKey& key : convolutionsOf(*experiment, *info)) {
        OpRow row;
        row.events = {{OpEvent::Kind::Allocate, 1000},
                      {OpEvent::Kind::Allocate, 50},
                      {OpEvent::Kind::Free, 0},
                      {OpEvent::Kind::Result, key.pass == ConvKey::Pass::Forward ? 0 : 1},
                      {OpEvent::Kind::Free, 1}};
        if (key.pass == ConvKey::Pass::Backward) {
            row.events.push_back({OpEvent::Kind::Result, 2});
        }
        table->add(key, row);
    }
    Target target;
    target.calibration = table;
    const auto made = walk(*experiment, *info, target);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->passesWithoutRow, 0U);
    std::vector<base::Bytes> changes;
    for (std::size_t i = made->stepEvent[1]; i < made->events.size(); ++i) {
        const WalkEvent& event = made->events[i];
        if (event.phase == Phase::Forward && event.layer == 0 && event.kind != WalkEvent::Kind::Retag) {
            changes.push_back((event.kind == WalkEvent::Kind::Allocate ? 1 : -1) *
                              made->blocks[event.block].bytes.expected);
        }
    }
    EXPECT_THAT(changes, ElementsAre(1000, 50, -1000, kX, -50));
}

TEST(Walk, LeversThatCannotBePredictedAreSaid) {
    const auto error = [](const std::string& layers, const std::string& more) {
        const auto experiment = stack::testing::experimentOf(kInput, layers, more);
        const auto info = stack::inferShapes(*experiment);
        const auto made = walk(*experiment, *info, {});
        return made ? "no error" : made.error().message;
    };
    EXPECT_THAT(error(kConv, R"("loss": "mean", "step": {"channels_last": true})"),
                ::testing::HasSubstr("channels_last"));
}

}  // namespace
}  // namespace highwater::predict::testing
