#include "core/stack/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/json.h"

namespace highwater::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Made {
    explicit Made(const std::string& stack, const std::string& step = "{}")
        : experiment(*parseExperiment(R"({"schema": "highwater.experiment/1", "loss": "mean",
            "input": {"synthetic": [1, 8, 8]}, "step": )" +
                                          step + R"(, "stack": )" + stack + "}",
                                      "test")),
          info(*inferShapes(experiment)),
          program(makeProgram(experiment, info)) {}
    Experiment experiment;
    StackInfo info;
    Program program;
};

const char* const kConv = R"({"type": "conv", "out_channels": 2, "padding": 1})";

TEST(Program, WithoutCheckpointThereIsOneSegment) {
    const Made made(std::string("[") + kConv + R"(, {"type": "block", "layers": [)" + kConv +
                    R"(, {"type": "relu"}]}])");
    ASSERT_EQ(made.program.steps.size(), 3U);
    ASSERT_EQ(made.program.segments.size(), 1U);
    EXPECT_THAT(made.program.segments[0].imports, ElementsAre(-1));
    EXPECT_THAT(made.program.segments[0].exports, ElementsAre(2));
    EXPECT_EQ(made.program.steps[2].layer, 3) << "the block is layer 1";
}

TEST(Program, SegmentsKnowWhatCrossesTheirBorders) {
    const Made made(
        std::string("[") + R"({"type": "conv", "out_channels": 2, "padding": 1, "id": "a"},)" +
        R"({"type": "block", "checkpoint": true, "id": "b", "layers": [)" + kConv +
        R"(, {"type": "dropout", "p": 0.5, "id": "c"}, {"type": "relu"}]},)" + kConv +
        R"(, {"type": "add", "with": "a"}, {"type": "add", "with": "b"}, {"type": "add", "with": "c"}])");
    const Program& p = made.program;
    ASSERT_EQ(p.segments.size(), 3U);
    EXPECT_THAT(p.segments[0].exports, ElementsAre(0));
    EXPECT_TRUE(p.segments[1].checkpoint);
    EXPECT_TRUE(p.segments[1].drawsRandomly);
    EXPECT_THAT(p.segments[1].imports, ElementsAre(0));
    EXPECT_THAT(p.segments[1].exports, ElementsAre(2, 3));
    ASSERT_EQ(p.segments[1].inner.size(), 1U);
    EXPECT_THAT(p.segments[2].imports, ElementsAre(0, 2, 3));
    EXPECT_THAT(p.segments[2].exports, ElementsAre(7));
    EXPECT_EQ(p.steps[6].with, 3);
    EXPECT_EQ(p.lastReaderBefore(2, 4), 3);
    EXPECT_EQ(p.lastReaderBefore(2, 99), 7);
    EXPECT_EQ(p.lastReaderBefore(7, 99), -2);
}

TEST(Program, NestedCheckpointsAreInnerSegments) {
    const std::string inner =
        std::string(R"({"type": "block", "checkpoint": true, "layers": [)") + kConv + "]}";
    const Made made(std::string(R"([{"type": "block", "checkpoint": true, "layers": [)") + kConv + "," +
                    inner + "," + kConv + "]}]");
    ASSERT_EQ(made.program.segments.size(), 1U);
    const Segment& outer = made.program.segments[0];
    ASSERT_EQ(outer.inner.size(), 3U);
    EXPECT_FALSE(outer.inner[0].checkpoint);
    EXPECT_TRUE(outer.inner[1].checkpoint);
    EXPECT_THAT(outer.inner[1].imports, ElementsAre(0));
    EXPECT_THAT(outer.inner[2].exports, ElementsAre(2));
}

TEST(Program, ABlockWithinAPlainBlockStillCuts) {
    const Made made(std::string(R"([{"type": "block", "layers": [)") + kConv +
                    R"(, {"type": "block", "checkpoint": true, "layers": [)" + kConv + "]}," + kConv + "]}]");
    ASSERT_EQ(made.program.segments.size(), 3U);
    EXPECT_TRUE(made.program.segments[1].checkpoint);
}

TEST(Program, SegmentsLeaveTheLastUncheckpointed) {
    std::string layers = kConv;
    for (int i = 1; i < 7; ++i)
        layers += std::string(",") + kConv;
    const Made made("[" + layers + "]", R"({"checkpoint": {"segments": 3}})");
    ASSERT_EQ(made.program.segments.size(), 3U);
    EXPECT_EQ(made.program.segments[0].last, 2);
    EXPECT_EQ(made.program.segments[1].last, 4);
    EXPECT_EQ(made.program.segments[2].last, 7);
    EXPECT_TRUE(made.program.segments[1].checkpoint);
    EXPECT_FALSE(made.program.segments[2].checkpoint);
    EXPECT_EQ(Made("[" + layers + "]", R"({"checkpoint": "sqrt"})").program.segments.size(), 3U);
}

TEST(Program, EvaluationNeedsNoSegments) {
    const Made made(std::string(R"([{"type": "block", "checkpoint": true, "layers": [)") + kConv + "]}]",
                    R"({"train": false})");
    ASSERT_EQ(made.program.segments.size(), 1U);
    EXPECT_FALSE(made.program.segments[0].checkpoint);
}

TEST(Program, GradientIsNeededFromTheFirstParameterOn) {
    const Made made(std::string(R"([{"type": "max_pool", "id": "a"}, {"type": "relu"},)") + kConv +
                    R"(, {"type": "concat", "with": "a"}])");
    EXPECT_THAT(made.program.needsGradient, ElementsAre(false, false, false, true, true));
}

TEST(Program, AnEmptyBlockGivesWhatItGets) {
    const Made made(std::string("[") + kConv +
                    R"(, {"type": "block", "id": "e", "checkpoint": true, "layers": []},)" + kConv +
                    R"(, {"type": "add", "with": "e"}])");
    ASSERT_EQ(made.program.steps.size(), 3U);
    EXPECT_EQ(made.program.steps[2].with, 0);
    EXPECT_EQ(made.program.segments.size(), 1U);
    EXPECT_THAT(made.program.segments[0].inner, IsEmpty());
}

}  // namespace
}  // namespace highwater::stack
