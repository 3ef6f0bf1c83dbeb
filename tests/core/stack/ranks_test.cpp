#include "core/stack/ranks.h"

#include <gmock/gmock.h>

#include "core/stack/json/json.h"

namespace highwater::stack {
namespace {

using ::testing::HasSubstr;

/// The error of checkRanks for an experiment with this stack and step; empty if there is none.
std::string refusalOfRanks(const std::string& stack, const std::string& step = "{}") {
    const auto experiment = parseExperiment(
        R"({"schema": "highwater.experiment/1", "input": {"synthetic": [2, 8, 8]}, "loss": "mean",
                            "stack": )" +
            stack + R"(, "step": )" + step + "}",
        "test");
    EXPECT_TRUE(experiment) << experiment.error().message;
    const auto info = inferShapes(*experiment);
    EXPECT_TRUE(info) << info.error().message;
    const auto status = checkRanks(*experiment, *info);
    return status ? "" : status.error().message;
}

constexpr const char* kPlainConv = R"({"type": "conv", "out_channels": 2, "kernel_size": 3, "padding": 1})";

TEST(Ranks, AnOrdinaryStackTrains) {
    EXPECT_EQ(refusalOfRanks(std::string("[") + kPlainConv + R"(, {"type": "batch_norm"}])"), "");
    EXPECT_EQ(refusalOfRanks(std::string("[") + kPlainConv +
                             R"(, {"type": "block", "checkpoint": true, "layers": [)" + kPlainConv + "]}]"),
              "");
}

TEST(Ranks, WithoutTrainingThereAreNoGradients) {
    EXPECT_THAT(refusalOfRanks(std::string("[") + kPlainConv + "]", R"({"train": false})"),
                HasSubstr("/step/train"));
}

TEST(Ranks, ParametersThatTwoBackwardsReachAreRefused) {
    const std::string named =
        R"({"type": "conv", "out_channels": 2, "kernel_size": 3, "padding": 1, "id": "a"})";
    const std::string again = R"({"type": "shared", "with": "a"})";
    EXPECT_EQ(refusalOfRanks("[" + named + ", " + again + "]"), "");
    EXPECT_THAT(refusalOfRanks("[" + named + R"(, {"type": "block", "checkpoint": true, "layers": [)" +
                               again + "]}]"),
                HasSubstr("another checkpointed segment"));
}

TEST(Ranks, EachHasItsShareOfTheProcessorsAndASeedOfItsOwn) {
    Experiment experiment;
    EXPECT_GE(forEachRank(experiment, 64).backend.threads, 1);
    EXPECT_EQ(forEachRank(experiment, 1).backend.threads, 0);
    experiment.backend.threads = 3;
    EXPECT_EQ(forEachRank(experiment, 2).backend.threads, 3);
    EXPECT_EQ(seedOfRank(7, 0), 7U);
    EXPECT_NE(seedOfRank(7, 1), seedOfRank(7, 2));
}

}  // namespace
}  // namespace highwater::stack
