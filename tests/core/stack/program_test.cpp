#include "core/stack/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/json/json.h"

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

const char* const kProgramConv = R"({"type": "conv", "out_channels": 2, "padding": 1})";

TEST(Program, WithoutCheckpointThereIsOneSegment) {
    const Made made(std::string("[") + kProgramConv + R"(, {"type": "block", "layers": [)" + kProgramConv +
                    R"(, {"type": "relu"}]}])");
    ASSERT_EQ(made.program.steps.size(), 3U);
    ASSERT_EQ(made.program.segments.size(), 1U);
    EXPECT_THAT(made.program.segments[0].imports, ElementsAre(-1));
    EXPECT_THAT(made.program.segments[0].exports, ElementsAre(2));
    EXPECT_EQ(made.program.steps[2].layer, 3) << "the block is layer 1";
}

TEST(Program, APlanNamesItsSegmentsAndWhatLiesBeyondTheEndIsLeftOut) {
    const std::string conv = kProgramConv, unit = conv + R"(, {"type": "batch_norm"}, {"type": "relu"}, )";
    const Made made("[" + unit + unit + conv + "]",
                    R"({"checkpoint": {"plan": [[1, 7, [[1, 4], [5, 6]]], [9, 12]]}})");
    const std::vector<Segment>& segments = made.program.segments;
    ASSERT_EQ(made.program.steps.size(), 7U);
    ASSERT_EQ(segments.size(), 2U);
    EXPECT_FALSE(segments[0].checkpoint);
    EXPECT_TRUE(segments[1].checkpoint);
    EXPECT_THAT(segments[1].imports, ElementsAre(0));
    ASSERT_EQ(segments[1].inner.size(), 4U);  // [1, 4), [4, 5), [5, 6), [6, 7)
    EXPECT_TRUE(segments[1].inner[0].checkpoint);
    EXPECT_EQ(segments[1].inner[0].inner[0].last, 4);
    EXPECT_TRUE(segments[1].inner[0].inner[0].resumes) << "a convolution ends what is recomputed";
    EXPECT_FALSE(segments[1].inner[1].resumes) << "the output of a normalization is read by its own backward";
    EXPECT_FALSE(segments[0].resumes) << "what runs once has to run";
    EXPECT_TRUE(segments[1].inner[3].resumes);
}

TEST(Program, AnOffloadedPartIsASegmentThatAnotherFollows) {
    const std::string conv = kProgramConv, three = "[" + conv + ", " + conv + ", " + conv + "]";
    const auto segments = [&](const std::string& plan) {
        return Made(three, R"({"checkpoint": {"plan": )" + plan + "}}").program.segments;
    };
    const auto middle = segments(R"([[1, 2, "offload"]])");
    ASSERT_EQ(middle.size(), 3U);
    EXPECT_FALSE(middle[0].offload);
    EXPECT_TRUE(middle[1].offload);
    EXPECT_FALSE(middle[1].checkpoint);
    EXPECT_TRUE(middle[1].inner.empty());
    const auto last = segments(R"([[1, 3, "offload"]])");
    ASSERT_EQ(last.size(), 2U);
    EXPECT_FALSE(last[1].offload) << "its backward begins at once";
    const auto within = segments(R"([[0, 3, [[0, 1, "offload"], [1, 3, "offload"]]]])");
    ASSERT_EQ(within.size(), 1U);
    ASSERT_EQ(within[0].inner.size(), 2U);
    EXPECT_TRUE(within[0].inner[0].offload);
    EXPECT_FALSE(within[0].inner[1].offload);
}

TEST(Program, WhatIsReadWithinIsComputedAgain) {
    const std::string conv = kProgramConv;
    const Made made("[" + conv + ", " + conv + ", " + conv + "]",
                    R"({"checkpoint": {"plan": [[0, 3, [[1, 3]]]]}})");
    const Segment& outer = made.program.segments.front();
    ASSERT_EQ(outer.inner.size(), 2U);
    EXPECT_FALSE(outer.inner[0].resumes) << "the next part is computed from it";
    EXPECT_TRUE(outer.inner[1].inner[0].resumes);
}

TEST(Program, ConvolutionsThatPadACopyFirstAreNotResumed) {
    const auto op = [](const char* text) {
        return Made(std::string("[") + text + "]").experiment.stack[0].op;
    };
    EXPECT_TRUE(resumable(op(R"({"type": "conv", "out_channels": 2, "padding": "same"})")));
    EXPECT_FALSE(
        resumable(op(R"({"type": "conv", "out_channels": 2, "kernel_size": 2, "padding": "same"})")));
    EXPECT_FALSE(
        resumable(op(R"({"type": "conv", "out_channels": 2, "padding": 1, "padding_mode": "reflect"})")));
    EXPECT_TRUE(resumable(op(R"({"type": "conv_transpose", "out_channels": 2})")));
    EXPECT_FALSE(resumable(op(R"({"type": "separable_conv", "out_channels": 2})")));
}

TEST(Program, SegmentsKnowWhatCrossesTheirBorders) {
    const Made made(
        std::string("[") + R"({"type": "conv", "out_channels": 2, "padding": 1, "id": "a"},)" +
        R"({"type": "block", "checkpoint": true, "id": "b", "layers": [)" + kProgramConv +
        R"(, {"type": "dropout", "p": 0.5, "id": "c"}, {"type": "relu"}]},)" + kProgramConv +
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
    EXPECT_EQ(p.steps[6].with, std::vector{3});
    EXPECT_EQ(p.lastReaderBefore(2, 4), 3);
    EXPECT_EQ(p.lastReaderBefore(2, 99), 7);
    EXPECT_EQ(p.lastReaderBefore(7, 99), -2);
}

TEST(Program, NestedCheckpointsAreInnerSegments) {
    const std::string inner =
        std::string(R"({"type": "block", "checkpoint": true, "layers": [)") + kProgramConv + "]}";
    const Made made(std::string(R"([{"type": "block", "checkpoint": true, "layers": [)") + kProgramConv +
                    "," + inner + "," + kProgramConv + "]}]");
    ASSERT_EQ(made.program.segments.size(), 1U);
    const Segment& outer = made.program.segments[0];
    ASSERT_EQ(outer.inner.size(), 3U);
    EXPECT_FALSE(outer.inner[0].checkpoint);
    EXPECT_TRUE(outer.inner[1].checkpoint);
    EXPECT_THAT(outer.inner[1].imports, ElementsAre(0));
    EXPECT_THAT(outer.inner[2].exports, ElementsAre(2));
}

TEST(Program, ABlockWithinAPlainBlockStillCuts) {
    const Made made(std::string(R"([{"type": "block", "layers": [)") + kProgramConv +
                    R"(, {"type": "block", "checkpoint": true, "layers": [)" + kProgramConv + "]}," +
                    kProgramConv + "]}]");
    ASSERT_EQ(made.program.segments.size(), 3U);
    EXPECT_TRUE(made.program.segments[1].checkpoint);
}

TEST(Program, SegmentsLeaveTheLastUncheckpointed) {
    std::string layers = kProgramConv;
    for (int i = 1; i < 7; ++i) {
        layers += std::string(",") + kProgramConv;
    }
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
    const Made made(
        std::string(R"([{"type": "block", "checkpoint": true, "layers": [)") + kProgramConv + "]}]",
        R"({"train": false})");
    ASSERT_EQ(made.program.segments.size(), 1U);
    EXPECT_FALSE(made.program.segments[0].checkpoint);
}

TEST(Program, GradientIsNeededFromTheFirstParameterOn) {
    const Made made(std::string(R"([{"type": "max_pool", "id": "a"}, {"type": "relu"},)") + kProgramConv +
                    R"(, {"type": "concat", "with": "a"}])");
    EXPECT_THAT(made.program.needsGradient, ElementsAre(false, false, false, true, true));
}

TEST(Program, AHeadIsAStepThatTheNextOneDoesNotRead) {
    const char* const kHead = R"({"type": "head", "out_channels": 2, "weight": 0.5})";
    const Made made(std::string("[") + kProgramConv + "," + kHead +
                    R"(, {"type": "block", "id": "b", "checkpoint": true, "layers": [)" + kProgramConv + "," +
                    kHead + "]}," + kProgramConv + R"(, {"type": "add", "with": "b"}, )" + kHead + "]");
    const Program& p = made.program;
    ASSERT_EQ(p.steps.size(), 7U);
    std::vector<int> from;
    for (const ProgramStep& step : p.steps) {
        from.push_back(step.from);
    }
    EXPECT_THAT(from, ElementsAre(-1, 0, 0, 2, 2, 4, 5));
    EXPECT_EQ(p.steps[5].with, std::vector{2}) << "a block's output is its main path's";
    EXPECT_THAT(p.outputs, ElementsAre(1, 3, 6, 5)) << "the stack's output is read by the last head too";
    EXPECT_THAT(p.weights, ElementsAre(0.2, 0.2, 0.2, 0.4));
    EXPECT_THAT(p.readers[1], ElementsAre(1, 2));
    EXPECT_THAT(p.readers[2], IsEmpty());
    EXPECT_EQ(p.lastReaderBefore(5, 99), 6);
    ASSERT_EQ(p.segments.size(), 3U);
    EXPECT_THAT(p.segments[0].exports, ElementsAre(0, 1));
    EXPECT_THAT(p.segments[1].imports, ElementsAre(0));
    EXPECT_THAT(p.segments[1].exports, ElementsAre(2, 3));
    EXPECT_THAT(p.segments[1].inner.at(0).exports, ElementsAre(2, 3));
    EXPECT_THAT(p.segments[2].imports, ElementsAre(2));
    EXPECT_THAT(p.segments[2].exports, ElementsAre(5, 6));
}

TEST(Program, ABranchIsNoStep) {
    const Made made(std::string("[") + R"({"type": "conv", "out_channels": 2, "padding": 1, "id": "a"},)" +
                    R"({"type": "conv", "out_channels": 2, "padding": 1, "id": "b"},)" +
                    R"({"type": "branch", "with": "a"},)" + kProgramConv +
                    R"(, {"type": "add", "with": "b"}])");
    const Program& p = made.program;
    ASSERT_EQ(p.steps.size(), 4U);
    EXPECT_EQ(p.steps[2].from, 0);
    EXPECT_EQ(p.steps[2].layer, 3);
    EXPECT_EQ(p.steps[3].from, 2);
    EXPECT_EQ(p.steps[3].with, std::vector{1});
    EXPECT_THAT(p.readers[1], ElementsAre(1, 2));
    EXPECT_THAT(p.outputs, ElementsAre(3));
    EXPECT_EQ(
        Made(std::string(R"([{"type": "conv", "out_channels": 2, "id": "a"}, {"type": "gelu", "id": "b"},)") +
                 R"({"type": "branch", "with": "a"}, {"type": "concat", "with": "b"}, {"type": "gelu"}])",
             R"({"checkpoint": {"segments": 2}})")
            .program.segments[0]
            .last,
        2);
}

TEST(Program, WithoutHeadsTheOutputIsTheLastValue) {
    const Made made(std::string("[") + kProgramConv + "," + kProgramConv + "]");
    EXPECT_THAT(made.program.outputs, ElementsAre(1));
    EXPECT_THAT(made.program.weights, ElementsAre(1.0));
    EXPECT_TRUE(made.program.isOutput(1));
    EXPECT_FALSE(made.program.isOutput(0));
}

TEST(Program, OnlyAHeadMayLearn) {
    const Made made(R"([{"type": "head", "out_channels": 2}, {"type": "max_pool"}])");
    EXPECT_THAT(made.program.needsGradient, ElementsAre(false, true, false));
    EXPECT_THAT(made.program.outputs, ElementsAre(0, 1));
}

TEST(Program, AnEmptyBlockGivesWhatItGets) {
    const Made made(std::string("[") + kProgramConv +
                    R"(, {"type": "block", "id": "e", "checkpoint": true, "layers": []},)" + kProgramConv +
                    R"(, {"type": "add", "with": "e"}])");
    ASSERT_EQ(made.program.steps.size(), 3U);
    EXPECT_EQ(made.program.steps[2].with, std::vector{0});
    EXPECT_EQ(made.program.segments.size(), 1U);
    EXPECT_THAT(made.program.segments[0].inner, IsEmpty());
}

}  // namespace
}  // namespace highwater::stack
