#include "core/stack/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/json/json.h"

namespace highwater::stack {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& members, bool cuda = false) {
    const auto experiment =
        parseExperiment("{\"schema\": \"highwater.experiment/1\", " + members + "}", "test");
    EXPECT_TRUE(experiment.ok()) << experiment.error().message;
    const auto info = inferShapes(*experiment);
    EXPECT_TRUE(info.ok()) << info.error().message;
    const auto status = checkSupported(*experiment, *info, cuda);
    return status ? "" : status.error().message;
}

const std::string kInput = R"("input": {"synthetic": [4, 8, 8]}, "loss": "mean", )";
const std::string kStack = R"("stack": [{"type": "conv", "out_channels": 4}])";

TEST(Support, WhatRunsIsNotRefused) {
    EXPECT_EQ(refusal(kInput + kStack), "");
    EXPECT_EQ(
        refusal(kInput + kStack + R"(, "step": {"batch_size": 4, "micro_batches": 2, "checkpoint": "sqrt"})"),
        "");
    for (const bool cuda : {false, true}) {
        EXPECT_EQ(refusal(kInput + kStack +
                              R"(, "data": {"workers": 2, "prefetch": 3, "pinned": true, "read_delay_ms": 5,
                                 "augment": [{"type": "flip"}, {"type": "gamma", "amount": 0.2}]})",
                          cuda),
                  "");
    }
    EXPECT_EQ(refusal(kInput + R"("stack": [{"type": "separable_conv", "out_channels": 4}])"), "");
    EXPECT_EQ(refusal(kInput + R"("stack": [{"type": "conv", "out_channels": 4}, {"type": "inplace_abn"}])"),
              "");
    for (const std::string way : {"naive", "two_step", "cached", "fused"}) {
        for (const bool cuda : {false, true}) {
            EXPECT_EQ(refusal(kInput +
                                  R"("stack": [{"type": "custom_conv", "transform_channels": 2,
                                                "out_channels": 4, "implementation": ")" +
                                  way + "\"}]",
                              cuda),
                      "");
        }
    }
}

TEST(Support, WhatNoLayerSaysCannotRunButBePredicted) {
    const std::string stack = R"("stack": [{"type": "conv", "out_channels": 4, "id": "a"},
        {"type": "unknown", "operator": "cumsum", "shape": [1, 4, 8, 8]},
        {"type": "unknown", "operator": "cumsum", "shape": [1, 4, 8, 8], "with": "a"}])";
    EXPECT_EQ(refusal(kInput + stack),
              "no layer represents cumsum (2 times): a stack with it can be predicted from below, but not "
              "run; replace the layer");
    const auto experiment =
        parseExperiment("{\"schema\": \"highwater.experiment/1\", " + kInput + stack + "}", "test");
    EXPECT_TRUE(checkPredictable(*experiment, *inferShapes(*experiment), false));
    EXPECT_EQ(toText(*experiment), toText(*parseExperiment(toText(*experiment), "again")));
}

TEST(Support, OffloadingIsForGpus) {
    const std::string conv = R"({"type": "conv", "out_channels": 4, "kernel_size": 1})";
    const auto with = [&](const std::string& step) {
        return kInput + R"("stack": [)" + conv + ", " + conv + R"(], "step": {)" + step + "}";
    };
    const std::string plan = R"("checkpoint": {"plan": [[0, 2, [[0, 1, "offload"]]]]})";
    EXPECT_EQ(refusal(with(plan)),
              "/step/checkpoint/plan offloads what a GPU keeps to the host's memory, where a run on the CPU "
              "has it already; run on a GPU, or take \"offload\" out of the plan");
    EXPECT_EQ(refusal(with(plan), true), "");
    EXPECT_EQ(refusal(with(plan + R"(, "train": false)")), "") << "nothing is kept";
    EXPECT_EQ(refusal(with(R"("checkpoint": {"plan": [[0, 2]]})")), "");
    const auto experiment =
        parseExperiment("{\"schema\": \"highwater.experiment/1\", " + with(plan) + "}", "test");
    EXPECT_EQ(toText(*experiment), toText(*parseExperiment(toText(*experiment), "again")));
    EXPECT_TRUE(offloads(experiment->step.checkpoint.plan));
}

TEST(Support, WhatDoesNotIsNamed) {
    for (const auto& [member, named] : {
             std::pair{R"("step": {"precision": "bf16"})", "/step/precision"},
             {R"("step": {"channels_last": true})", "/step/channels_last"},
         }) {
        EXPECT_THAT(refusal(kInput + kStack + ", " + member), HasSubstr(named));
    }
}

TEST(Support, ACohortIsAsGoodAsAScan) {
    for (const bool cuda : {false, true}) {
        EXPECT_EQ(
            refusal(R"("input": {"cohort": "cases", "patch": [8, 8, 8]}, "loss": "mean", )" + kStack, cuda),
            "");
    }
}

TEST(Support, AGpuRunsWhatTheCpuDoesNot) {
    for (const std::string step :
         {R"("precision": "tf32")", R"("precision": "bf16")", R"("precision": "fp16")",
          R"("precision": "fp16_true")", R"("precision": "bf16_true")", R"("channels_last": true)"}) {
        const std::string members = kInput + kStack + R"(, "step": {)" + step + "}";
        EXPECT_THAT(refusal(members), HasSubstr("is not available on the CPU; set it to")) << step;
        EXPECT_EQ(refusal(members, true), "") << step;
    }
}

TEST(Support, OwnLayersHaveParametersOfFourBytes) {
    const std::string halved = R"(, "step": {"precision": "fp16_true"})";
    EXPECT_EQ(
        refusal(kInput + R"("stack": [{"type": "conv", "out_channels": 4},
                                  {"type": "inplace_abn"}])" +
                    halved,
                true),
        "layer 2 `inplace_abn` has fp32 parameters, so /step/precision cannot be \"fp16_true\"; set it to "
        "\"fp16\"");
}

}  // namespace
}  // namespace highwater::stack
