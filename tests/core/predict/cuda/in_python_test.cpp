#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/core/predict/cuda/walks.h"
#include "tests/core/stack/random_stack.h"

/// Where the exported program's tensors live longer, or shorter, than the engine's (Target::inPython). All of
/// it was observed in PyTorch 2.11 on the pretended device (tests/gpu/scripts/random_stacks).
namespace highwater::predict {
namespace {

using namespace testing;
using memory::Category;
using memory::Phase;

struct Both {
    Walk engine, python;
};

Both bothOf(const stack::Experiment& e) {
    Target on = target(e, "2.11", "9.19");
    Both both;
    both.engine = walkOf(e, on);
    on.inPython = true;
    both.python = walkOf(e, on);
    return both;
}

/// The phases in which the blocks with this label and size are freed, in the second step.
std::set<Phase> freedIn(const Walk& w, std::string_view label, base::Bytes bytes) {
    std::set<Phase> phases;
    for (const WalkEvent& event : w.events) {
        const WalkBlock& block = w.blocks[event.block];
        if (event.step == 1 && event.kind == WalkEvent::Kind::Free && block.label == label &&
            block.bytes.expected == bytes) {
            phases.insert(event.phase);
        }
    }
    return phases;
}

/// The largest number of blocks with this label that are alive at once in the second step, without those that
/// stay.
int mostAtOnce(const Walk& w, std::string_view label) {
    int live = 0, most = 0;
    for (const WalkEvent& event : w.events) {
        if (event.step == 1 && w.blocks[event.block].label == label && event.kind != WalkEvent::Kind::Retag) {
            live += event.kind == WalkEvent::Kind::Allocate ? 1 : -1;
            most = std::max(most, live);
        }
    }
    return most;
}

std::string checkpointed(const std::string& layers) {
    return R"({"type": "block", "checkpoint": true, "layers": [)" + layers + "]}";
}

constexpr const char* kSgd = R"(, "optimizer": {"type": "sgd"})";

TEST(InPython, ABatchNormCountsItsBatches) {
    const auto [engine, python] = bothOf(experiment("[4, 16, 16]", kConv8 + R"(, {"type": "batch_norm"})"));
    const auto parameters = [](const Walk& w) { return liveAfter(w, w.stepEvent[0])[Category::Parameters]; };
    EXPECT_EQ(parameters(python), parameters(engine) + 8);
}

TEST(InPython, TheLossLivesUntilTheParametersAreUpdated) {
    const auto [engine, python] = bothOf(experiment("[4, 16, 16]", kConv8, "", kSgd));
    EXPECT_EQ(freedIn(engine, "mean", 4), (std::set{Phase::Backward}));
    EXPECT_EQ(freedIn(python, "mean", 4), (std::set{Phase::Optimizer}));
}

TEST(InPython, AKeptOutputLivesUntilTheParametersAreUpdated) {
    const auto [engine, python] = bothOf(experiment("[4, 16, 16]", kConv8, R"(, "keep_output": true)", kSgd));
    constexpr base::Bytes kOutput = 8 * 16 * 16 * 4;
    EXPECT_FALSE(freedIn(engine, "conv", kOutput).contains(Phase::Optimizer));
    EXPECT_TRUE(freedIn(python, "conv", kOutput).contains(Phase::Optimizer));
}

TEST(InPython, ALoopsVariablesLiveUntilTheNextTurn) {
    const auto [engine, python] = bothOf(
        experiment("[4, 16, 16]", kConv8, "", R"(, "optimizer": {"type": "adamw", "foreach": false})"));
    EXPECT_EQ(mostAtOnce(engine, "adam"), 2) << "root and denominator";
    EXPECT_EQ(mostAtOnce(python, "adam"), 3) << "and the denominator of the parameter before";
}

TEST(InPython, NormsEndWithTheFunctionThatMakesThem) {
    const auto [engine, python] =
        bothOf(experiment("[4, 16, 16]", kConv8 + ", " + kConv8, R"(, "clip_gradients": 1)", kSgd));
    EXPECT_EQ(mostAtOnce(engine, "clip"), 4 + 1 + 4) << "the norms, their norm, and four scalars";
    EXPECT_EQ(mostAtOnce(python, "clip"), 4 + 2) << "while the norms are stacked";
}

TEST(InPython, TargetsAreCutToAHeadsSizeInTheLoss) {
    auto e = stack::testing::experimentOf(
        "[4, 16, 16]",
        R"({"type": "head", "out_channels": 4}, {"type": "upsample", "scale_factor": 2}, )"
        R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1, "stride": 2})",
        R"("loss": "mse", "step": {"batch_size": 1})");
    ASSERT_TRUE(e) << e.error().message;
    const auto sized = bothOf(*e);
    EXPECT_TRUE(sizesOf(sized.python, "at_size", 1).empty()) << "the head has the target's size";

    e = stack::testing::experimentOf(
        "[4, 16, 16]",
        R"({"type": "max_pool", "kernel_size": 2}, {"type": "head", "out_channels": 4}, )"
        R"({"type": "upsample", "scale_factor": 2}, {"type": "conv", "out_channels": 4, "kernel_size": 1})",
        R"("loss": "mse", "step": {"batch_size": 1})");
    ASSERT_TRUE(e) << e.error().message;
    const auto [engine, python] = bothOf(*e);
    EXPECT_EQ(sizesOf(python, "at_size", 1),
              (std::vector<base::Bytes>{64, 64, 64, 64, 64, 4 * 8 * 16 * 4,  // places of 8, and one axis
                                        64, 64, 64, 64, 64, 4 * 8 * 8 * 4}));
    EXPECT_TRUE(sizesOf(engine, "at_size", 1).empty());
    EXPECT_EQ(sizesOf(engine, "data", -1).size(), sizesOf(python, "data", -1).size() + 1);
}

TEST(InPython, ARecomputationRunsOnAutogradsThread) {
    const auto [engine, python] = bothOf(
        experiment("[8, 4]", R"({"type": "flatten"}, )" +
                                 checkpointed(R"({"type": "linear", "out_features": 8}, {"type": "relu"})")));
    EXPECT_EQ(sizesOf(engine, "cublasLt workspace", 0).size(), 1);
    EXPECT_EQ(sizesOf(python, "cublasLt workspace", 0).size(), 2) << "a handle for each thread";
}

/// torch.utils.checkpoint stops when nothing is left to save.
TEST(InPython, ARecomputationStopsEarly) {
    const std::string relu = R"({"type": "relu"})", up = R"({"type": "upsample", "scale_factor": 2})",
                      transposed = R"({"type": "conv_transpose", "out_channels": 4, "kernel_size": 2})";
    const auto asked = [&](const std::string& layers) {
        const auto both = bothOf(experiment("[4, 16, 16]", kConv8 + ", " + checkpointed(layers)));
        const auto labels = [](const Walk& w) {
            std::multiset<std::string_view> found;
            for (const WalkEvent& event : w.events) {
                if (event.step == 1 && event.phase == Phase::Recompute &&
                    event.kind == WalkEvent::Kind::Allocate) {
                    found.insert(w.blocks[event.block].label);
                }
            }
            return found;
        };
        return std::pair(labels(both.engine), labels(both.python));
    };
    using Labels = std::multiset<std::string_view>;
    auto [engine, python] = asked(relu + ", " + up);
    EXPECT_EQ(engine, (Labels{"activation", "upsample"}));
    EXPECT_EQ(python, (Labels{"activation"})) << "relu saves its result, upsample nothing";

    std::tie(engine, python) = asked(relu + ", " + transposed);
    EXPECT_TRUE(engine.contains("conv"));
    EXPECT_EQ(python, (Labels{"activation"})) << "it saves its input, before it runs";

    std::tie(engine, python) = asked(relu + ", " + checkpointed(relu + ", " + relu));
    EXPECT_EQ(engine.count("activation"), 1U + 2 + 2) << "both blocks', then the inner one's once more";
    EXPECT_EQ(python.count("activation"), 1U + 2) << "the inner block's input is all that it needs";
}

TEST(InPython, ACheckpointHoldsItsInputUntilItsBackwardIsDone) {
    const auto [engine, python] = bothOf(experiment(
        "[4, 16, 16]",
        kConv8 + ", " + checkpointed(R"({"type": "upsample", "scale_factor": 2}, {"type": "relu"})")));
    constexpr base::Bytes kInput = 8 * 16 * 16 * 4;
    EXPECT_EQ(freedIn(engine, "conv", kInput), (std::set{Phase::Recompute}));
    EXPECT_EQ(freedIn(python, "conv", kInput), (std::set{Phase::Backward}));
}

TEST(InPython, TheSecondStepOfRandomStacksEndsAsTheFirst) {
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        SCOPED_TRACE(seed);
        const stack::Experiment e = stack::testing::randomExperiment(seed, limits);
        const auto info = stack::inferShapes(e);
        if (!info) {
            continue;
        }
        Target on = target(e, "2.11", "9.19");
        on.inPython = true;
        const auto w = walk(e, *info, on);
        ASSERT_TRUE(w) << w.error().message;
        const memory::Ledger second = liveAfter(*w, w->events.size());
        EXPECT_EQ(liveAfter(*w, w->stepEvent[1]), second);
        EXPECT_EQ(second[Category::Activations], 0);
        EXPECT_EQ(second[Category::Temporaries], 0);
    }
}

}  // namespace
}  // namespace highwater::predict
