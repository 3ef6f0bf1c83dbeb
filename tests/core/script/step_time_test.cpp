#include "core/predict/fit/step_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/script/step_operators.h"
#include "tests/core/temporary_folder.h"

namespace highwater::script {
namespace {

using ::testing::HasSubstr;

predict::DeviceProfile gpu(std::string_view id) {
    auto profile = predict::loadProfile(id);
    EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
    return *profile;
}

predict::StepOperators recorded(const std::string& name) {
    const test::TemporaryFolder folder;
    std::filesystem::copy_file(
        std::filesystem::path(HIGHWATER_SOURCE_DIR "/tests/data/script/steps") / (name + ".json"),
        folder.path() / "step-operators.json");
    auto read = readStepOperators(folder.path());
    EXPECT_TRUE(read && *read) << (read ? "no file" : read.error().message);
    return **read;
}

struct Measured {
    const char* name;
    double ms;
};

class OnAnH200 : public ::testing::TestWithParam<Measured> {};

// tests/python/watch_overhead with PyTorch 2.11, bare steps
// (tests/gpu/reference/scripts/watched-h200-2.11.0.json).
TEST_P(OnAnH200, TheMeasuredTimeIsInTheRange) {
    const auto time = predict::stepTime(recorded(GetParam().name), gpu("h200"));
    ASSERT_TRUE(time) << time.error().message;
    EXPECT_LE(time->step.low, GetParam().ms);
    EXPECT_GE(time->step.high, GetParam().ms);
    EXPECT_LE(time->step.high / time->step.low, 3.5);
    EXPECT_EQ(time->parts.at(0).family, "convolution");
}

INSTANTIATE_TEST_SUITE_P(StepTime, OnAnH200,
                         ::testing::Values(Measured{"unet", 65.7}, Measured{"resnet50", 24.5},
                                           Measured{"nnunet", 99.0}),
                         [](const auto& each) { return each.param.name; });

TEST(StepTime, AProductTakesItsOperationsOrItsBytes) {
    const predict::DeviceProfile profile = gpu("a100-40");
    predict::StepOperators step;
    step.operators = {{.family = "product", .type = "bf16", .operations = 1e12, .count = 2}};
    const auto computes = predict::stepTime(step, profile);
    ASSERT_TRUE(computes);
    EXPECT_NEAR(computes->device.expected, 2e3 * 1e12 / (profile.bf16 * 0.4), 1e-6);
    step.operators[0].bytes = 1e12;
    step.operators[0].operations = 1;
    const auto moves = predict::stepTime(step, profile);
    ASSERT_TRUE(moves);
    EXPECT_GT(moves->device.expected, 2e3 * 1e12 / profile.bytesPerSecond);
}

TEST(StepTime, ProductsInFp32AreOnTensorCoresOnlyIfAllowed) {
    predict::StepOperators step;
    step.operators = {{.family = "product", .type = "f32", .operations = 1e12}};
    const double without = predict::stepTime(step, gpu("a100-40"))->device.expected;
    step.tf32Products = true;
    EXPECT_GT(without, 3 * predict::stepTime(step, gpu("a100-40"))->device.expected);
}

TEST(StepTime, AStepOfManySmallOperatorsWaitsForPython) {
    predict::StepOperators step;
    step.dispatches = 10'000;
    step.operators = {{.family = "elementwise", .type = "f32", .bytes = 4096, .count = 100}};
    const auto time = predict::stepTime(step, gpu("h200"));
    ASSERT_TRUE(time);
    EXPECT_DOUBLE_EQ(time->step.expected, time->host.expected);
    EXPECT_DOUBLE_EQ(time->host.expected, 110);
    EXPECT_LT(time->device.expected, 1);
}

TEST(StepTime, AnUnknownFamilyMovesMemory) {
    predict::StepOperators step;
    step.operators = {{.family = "something new", .type = "f32", .bytes = 1e9}};
    const double unknown = predict::stepTime(step, gpu("rtx3060"))->device.expected;
    step.operators[0].family = "elementwise";
    EXPECT_DOUBLE_EQ(predict::stepTime(step, gpu("rtx3060"))->device.expected, unknown);
}

TEST(StepTime, WhatIsNoConvolutionIsRefused) {
    predict::StepOperators step;
    step.operators = {{.family = "convolution", .type = "f32", .convolution = "conv9d"}};
    const auto time = predict::stepTime(step, gpu("rtx3060"));
    ASSERT_FALSE(time);
    EXPECT_THAT(time.error().message, HasSubstr("is not a convolution"));
}

TEST(StepOperators, ThereAreNoneWithoutTheFileAndADamagedOneIsOneLine) {
    const test::TemporaryFolder folder;
    const auto none = readStepOperators(folder.path());
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    for (const auto& [text, words] :
         {std::pair("{", "step-operators.json"), std::pair("[]", "must be"),
          std::pair(R"({"format": "highwater.step-operators/1", "benchmark": 1})", "benchmark"),
          std::pair(R"({"format": "highwater.step-operators/1", "benchmark": false, "tf32_products": false,
                        "dispatches": 1, "kernels": 0, "reads": 0,
                        "operators": [{"family": "norm", "type": "f32", "count": 0}]})",
                    "count")}) {
        std::ofstream(folder.path() / "step-operators.json") << text;
        const auto read = readStepOperators(folder.path());
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().message, HasSubstr(words));
    }
}

}  // namespace
}  // namespace highwater::script
