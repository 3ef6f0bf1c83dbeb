#include "core/predict/ghost/walk.h"

#include <gmock/gmock.h>

#include "tests/core/predict/walked.h"

/// What a forward keeps and a backward needs, computed by hand.
namespace highwater::predict::testing {
namespace {

using memory::Category;
using memory::Phase;
using ::testing::ElementsAre;

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
    // Out of place it also keeps its input, which is batch_norm's output.
    EXPECT_EQ(kept(R"({"type": "leaky_relu"})"), 3 * kX + kStats);
    EXPECT_EQ(kept(R"({"type": "gelu"})"), 3 * kX + kStats);
    EXPECT_EQ(kept(R"({"type": "silu", "inplace": true})"), 3 * kX + kStats);  // a clone of its input
}

TEST(Walk, ActivationBytesAreWhatAForwardAdds) {
    const Walked w =
        walked(kInput, kConv + R"(, {"type": "batch_norm"}, {"type": "relu"}, )" + kOne, kBatch2);
    // relu's output counts while batch_norm's, which nothing keeps, is still allocated.
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
    EXPECT_EQ(kept(""), 2 * kX);  // mask and output; nothing needs conv's output
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
        if (wide && event.kind == WalkEvent::Kind::Allocate) {
            born = i;
        }
        if (wide && event.kind == WalkEvent::Kind::Free && event.category == Category::Temporaries) {
            gone = i;
        }
        if (event.layer == 1 && event.kind == WalkEvent::Kind::Allocate) {
            middle = i;
        }
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
    // Its output is a view: autograd expands the gradient, copies it and clones the part.
    EXPECT_EQ(over.highest(Category::Temporaries, Phase::Backward),
              4 * kX + 8);  // and the loss with its gradient
}

std::string microBatches(std::int64_t batch, std::int64_t parts, const std::string& more = "") {
    return R"("loss": "mean", "optimizer": {"type": "sgd"}, "step": {"batch_size": )" +
           std::to_string(batch) + R"(, "micro_batches": )" + std::to_string(parts) + "}" + more;
}

double flops(const Walk& walk) {
    double sum = 0;
    for (std::size_t i = walk.stepOp[1]; i < walk.ops.size(); ++i) {
        sum += walk.ops[i].flops * walk.ops[i].repeats;
    }
    return sum;
}

TEST(Walk, EqualMicroBatchesAreWalkedAFewTimes) {
    const std::string layers = kConv + R"(, {"type": "batch_norm"}, )" + kOne;
    const Walked few = walked(kInput, layers, microBatches(Walk::kPartsWalked, Walk::kPartsWalked));
    for (const std::int64_t parts : {std::int64_t{9}, std::int64_t{64}, std::int64_t{2147483647}}) {
        const Walked many = walked(kInput, layers, microBatches(parts, parts));
        EXPECT_EQ(many.walk.ops.size(), few.walk.ops.size());
        EXPECT_EQ(many.walk.events.size(), few.walk.events.size());
        // A micro-batch has one sample in both cases: only the batch itself is larger.
        const auto highest = [](const Walked& w, Category category) {
            return w.highest(category, Phase::Backward);
        };
        EXPECT_EQ(highest(many, Category::Activations), highest(few, Category::Activations));
        EXPECT_EQ(highest(many, Category::Gradients), highest(few, Category::Gradients));
        EXPECT_EQ(many.atEnd()[Category::Input], 64 * parts);
        EXPECT_DOUBLE_EQ(flops(many.walk), flops(few.walk) / static_cast<double>(Walk::kPartsWalked) *
                                               static_cast<double>(parts));
    }
}

TEST(Walk, MicroBatchesOfWindowsRepeatBoth) {
    const std::string windows = R"(, "windows": {"size": 2, "overlap": 0})";  // 8 of them
    const Walked one = walked(kInput, kConv, microBatches(1, 1, windows));
    const Walked many = walked(kInput, kConv, microBatches(1000, 1000, windows));
    EXPECT_LE(many.walk.ops.size(), Walk::kPartsWalked * one.walk.ops.size());
    EXPECT_DOUBLE_EQ(flops(many.walk), 1000 * flops(one.walk));
}

}  // namespace
}  // namespace highwater::predict::testing
