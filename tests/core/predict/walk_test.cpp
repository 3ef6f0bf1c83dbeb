#include "core/predict/walk.h"

#include <gmock/gmock.h>

#include "tests/core/predict/walked.h"

/// Ledgers worked out by hand. Input 2 x 1 x 16 floats: 128 B; with 4 channels 512 B.
namespace highwater::predict::testing {
namespace {

using memory::Category;
using memory::Phase;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr base::Bytes kX = 512;     // 2 x 4 x 16 floats
constexpr base::Bytes kStats = 32;  // mean and 1 / deviation of 4 channels
const std::string kInput = "[1, 16]";
const std::string kConv = R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1})";
const std::string kOne = R"({"type": "conv", "out_channels": 4, "kernel_size": 1})";
const std::string kBatch2 = R"("loss": "mean", "optimizer": {"type": "sgd"}, "step": {"batch_size": 2})";

std::string batchOf2(const std::string& more) {
    return R"("loss": "mean", "step": {"batch_size": 2}, )" + more;
}

TEST(Walk, ParametersInputAndBuffers) {
    const Walked w = walked(kInput, kConv + R"(, {"type": "batch_norm"})", kBatch2);
    const memory::Ledger ledger = w.before(w.walk.stepEvent[0]);
    // conv: 4 x 1 x 3 and 4 floats; batch_norm: weight, bias, mean and variance of 4 floats.
    EXPECT_EQ(ledger[Category::Parameters], 48 + 16 + 4 * 16);
    EXPECT_EQ(ledger[Category::Input], 128);
    EXPECT_EQ(ledger.total(), 48 + 16 + 64 + 128);
    EXPECT_THAT(w.walk.parameterBytes, ElementsAre(64, 64));
}

TEST(Walk, ReluKeepsTwoTensorsAUnitAndLeakyReluThree) {
    const auto kept = [](const std::string& activation) {
        const Walked w =
            walked(kInput, kConv + R"(, {"type": "batch_norm"}, )" + activation + ", " + kOne, kBatch2);
        return w.before(Phase::Backward)[Category::Activations];
    };
    // conv's output is batch_norm's input, the activation's output the next conv's input.
    EXPECT_EQ(kept(R"({"type": "relu"})"), 2 * kX + kStats);
    EXPECT_EQ(kept(R"({"type": "relu", "inplace": true})"), 2 * kX + kStats);
    EXPECT_EQ(kept(R"({"type": "leaky_relu", "inplace": true})"), 2 * kX + kStats);
    // Out of place it keeps its input, which is batch_norm's output, as well.
    EXPECT_EQ(kept(R"({"type": "leaky_relu"})"), 3 * kX + kStats);
    EXPECT_EQ(kept(R"({"type": "gelu"})"), 3 * kX + kStats);
    EXPECT_EQ(kept(R"({"type": "silu", "inplace": true})"), 3 * kX + kStats);  // a clone of its input
}

TEST(Walk, ActivationBytesAreWhatAForwardAdds) {
    const Walked w =
        walked(kInput, kConv + R"(, {"type": "batch_norm"}, {"type": "relu"}, )" + kOne, kBatch2);
    // relu's output counts while batch_norm's, which nothing keeps, has not gone yet.
    EXPECT_THAT(w.walk.activationBytes, ElementsAre(kX, kX + kStats, kX, kX));
}

TEST(Walk, GradientsAreRebuiltInEachStepAndGone) {
    const Walked w = walked(kInput, kConv + ", " + kOne, kBatch2);
    EXPECT_EQ(w.before(Phase::Forward)[Category::Gradients], 0);
    // Of both convs: 12 + 4 and 16 + 4 floats.
    EXPECT_EQ(w.before(w.walk.events.size() - 4)[Category::Gradients], 64 + 80);
    EXPECT_EQ(w.atEnd()[Category::Gradients], 0);
    EXPECT_EQ(w.atEnd().total(), 128 + 64 + 80);
}

TEST(Walk, ThePoolsIndicesAreEightBytes) {
    const auto kept = [](const std::string& kind) {
        const Walked w =
            walked(kInput, kConv + R"(, {"type": ")" + kind + R"(", "kernel_size": 2})", kBatch2);
        return w.before(Phase::Backward)[Category::Activations];
    };
    EXPECT_EQ(kept("max_pool"), kX + 8 * (2 * 4 * 8));
    EXPECT_EQ(kept("avg_pool"), kX);
}

TEST(Walk, DropoutKeepsItsMaskUnlessWholeChannelsFall) {
    const auto kept = [](const std::string& options) {
        const Walked w = walked(kInput, kConv + R"(, {"type": "dropout")" + options + "}, " + kOne, kBatch2);
        return w.before(Phase::Backward)[Category::Activations];
    };
    EXPECT_EQ(kept(""), 2 * kX);  // mask and output; conv's output is needed by nothing
    EXPECT_EQ(kept(R"(, "feature": true)"), kX + 2 * 4 * 4);
    EXPECT_EQ(kept(R"(, "p": 0)"), kX);
}

TEST(Walk, ACheckpointedBlockKeepsItsInputAndComputesAgain) {
    const std::string inside = kOne + R"(, {"type": "batch_norm"}, {"type": "relu"})";
    const auto with = [&](const std::string& checkpoint) {
        return walked(kInput,
                      kConv + R"(, {"type": "block", "checkpoint": )" + checkpoint + R"(, "layers": [)" +
                          inside + "]}, " + kOne,
                      kBatch2);
    };
    const Walked whole = with("false"), again = with("true");
    // The block's input, conv's and relu's output, the statistics.
    EXPECT_EQ(whole.before(Phase::Backward)[Category::Activations], 3 * kX + kStats);
    // Its input and its output, which is the next conv's input.
    EXPECT_EQ(again.before(Phase::Backward)[Category::Activations], 2 * kX);
    EXPECT_EQ(whole.first(Phase::Recompute), whole.walk.events.size());
    EXPECT_LT(again.first(Phase::Recompute), again.walk.events.size());
    // The recomputed output is dropped before the block's backward, but relu keeps it.
    EXPECT_EQ(again.highest(Category::Activations, Phase::Recompute), 4 * kX + kStats);
}

TEST(Walk, ACheckpointWithDropoutKeepsTheGeneratorsState) {
    const Walked w = walked(
        kInput,
        kConv + R"(, {"type": "block", "checkpoint": true, "layers": [{"type": "dropout"}, )" + kOne + "]}",
        kBatch2);
    EXPECT_EQ(w.before(Phase::Backward)[Category::Activations], kX + 5056);
    EXPECT_THAT(w.allocations("generator state"), ElementsAre(5056, 5056));
}

TEST(Walk, ALayerInPlaceClonesWhatIsAnotherSegments) {
    const Walked w = walked(
        kInput,
        kConv +
            R"(, {"type": "block", "checkpoint": true, "layers": [{"type": "leaky_relu", "inplace": true}, )" +
            kOne + "]}",
        kBatch2);
    EXPECT_THAT(w.allocations("clone"), ElementsAre(kX, kX));  // forward and again
}

TEST(Walk, ASkipThatIsAddedSumsItsGradientsOnce) {
    const Walked w = walked(kInput,
                            R"({"type": "conv", "out_channels": 4, "kernel_size": 1, "id": "a"}, )" + kOne +
                                R"(, {"type": "add", "with": "a"})",
                            kBatch2);
    EXPECT_THAT(w.allocations("sum of gradients"), ElementsAre(kX));
}

TEST(Walk, ConcatHandsOutViewsOfOneGradient) {
    const Walked w = walked(kInput,
                            R"({"type": "conv", "out_channels": 4, "kernel_size": 1, "id": "a"}, )" + kOne +
                                R"(, {"type": "concat", "with": "a"}, )" + kOne,
                            kBatch2);
    // The gradient of 8 channels lives until both its readers are done: through the backward of layer 1.
    std::size_t born = 0, gone = 0, middle = 0;
    for (std::size_t i = w.first(Phase::Backward); i < w.walk.events.size(); ++i) {
        const WalkEvent& event = w.walk.events[i];
        const bool wide = w.walk.blocks[event.block].bytes.expected == 2 * kX;
        if (wide && event.kind == WalkEvent::Kind::Allocate)
            born = i;
        if (wide && event.kind == WalkEvent::Kind::Free && event.category == Category::Temporaries)
            gone = i;
        if (event.layer == 1 && event.kind == WalkEvent::Kind::Allocate)
            middle = i;
    }
    EXPECT_LT(born, middle);
    EXPECT_GT(gone, middle);
}

TEST(Walk, InstanceNormRepeatsItsParametersAndInPlaceAfterItCopies) {
    const Walked w = walked(
        kInput, kConv + R"(, {"type": "instance_norm", "affine": true}, {"type": "leaky_relu"}, )" + kOne,
        kBatch2);
    EXPECT_THAT(w.allocations("instance_norm"), ElementsAre(32, 32));  // weight and bias, for each sample
    const Walked over = walked(
        kInput, kConv + R"(, {"type": "instance_norm"}, {"type": "leaky_relu", "inplace": true}, )" + kOne,
        kBatch2);
    // Its output is a view: autograd spreads the gradient out, copies it and clones the part.
    EXPECT_EQ(over.highest(Category::Temporaries, Phase::Backward),
              4 * kX + 8);  // and the loss with its gradient
}

TEST(Walk, MicroBatchesKeepGradientsAndShareTheInput) {
    const Walked w = walked(
        kInput, kConv + ", " + kOne,
        R"("loss": "mean", "optimizer": {"type": "sgd"}, "step": {"batch_size": 4, "micro_batches": 2})");
    const base::Bytes gradients = 64 + 80;
    std::size_t backwards = 0;
    for (std::size_t i = w.walk.stepEvent[1] + 1; i < w.walk.events.size(); ++i)
        if (w.walk.events[i].phase == Phase::Forward && w.walk.events[i - 1].phase == Phase::Backward) {
            ++backwards;
            EXPECT_EQ(w.before(i)[Category::Gradients], gradients);
        }
    EXPECT_EQ(backwards, 1U);
    EXPECT_EQ(w.before(w.walk.stepEvent[1])[Category::Input], 4 * 64);
    EXPECT_EQ(w.highest(Category::Activations, Phase::Forward), 2 * kX);  // of two samples
    EXPECT_EQ(w.highest(Category::Gradients, Phase::Backward), gradients);
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
    // The loss was made as large as the output and then shrunk.
    EXPECT_EQ(w.before(Phase::Backward)[Category::Temporaries], 128);
}

TEST(Walk, AHeadJoinsTheLoss) {
    const Walked w = walked(kInput, kConv + R"(, {"type": "head", "out_channels": 4}, )" + kOne, kBatch2);
    // conv's output is read by the head and by the last conv; the head's and the stack's outputs are gone.
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
    EXPECT_EQ(kept("zeros"), 0);                 // the input counts to the input
    EXPECT_EQ(kept("reflect"), 2 * 1 * 18 * 4);  // what the convolution keeps
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
    for (const ConvKey& key : convolutionsOf(w.experiment, w.info))
        texts.push_back(key.text());
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
        if (key.pass == ConvKey::Pass::Backward)
            row.events.push_back({OpEvent::Kind::Result, 2});
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
        if (event.phase == Phase::Forward && event.layer == 0 && event.kind != WalkEvent::Kind::Retag)
            changes.push_back((event.kind == WalkEvent::Kind::Allocate ? 1 : -1) *
                              made->blocks[event.block].bytes.expected);
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
    EXPECT_THAT(error(R"({"type": "custom_conv", "transform_channels": 2, "out_channels": 4})", kBatch2),
                ::testing::HasSubstr("custom_conv"));
}

}  // namespace
}  // namespace highwater::predict::testing
