// The predictor's CUDA rules compared with LibTorch's own operators and allocator, on the pretended device.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "core/engine/layers/own_kernels.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/random_plan.h"
#include "tests/core/stack/with_inplace_abn.h"
#include "tests/gpu/rules/standard_experiments.h"
#include "tests/gpu/rules/totals.h"
#include "tests/gpu/which_gpu.h"

namespace highwater::gpu {
namespace {

class GpuRules : public ::testing::Test {
protected:
    static void SetUpTestSuite() { setenv("HIGHWATER_PRETEND_ZEROS", "1", 1); }
    void SetUp() override {
        if (const auto why = noPretendedDevice()) {
            GTEST_SKIP() << *why;
        }
    }
};

constexpr int kSeeds = 150;
constexpr int kLeastEqual = 95;  // of the 150; 109 as this was written, and a few are races of two threads
// Of a 3d batch_norm of bf16 in channels_last: 13 % too little of the tensors where this was written. In
// fp16_true, whose parameters are small, it is as much of the tensors and 23 % of what is reserved.
constexpr double kNativeNormError = 0.15;
constexpr double kNativeNormReserved = 0.25;

TEST_F(GpuRules, OfRandomStacksArePeaksRight) {
    Totals totals;
    for (int seed = 0; seed < kSeeds; ++seed) {
        const auto walks = walkBoth(randomGpuExperiment(seed));
        ASSERT_TRUE(walks) << "seed " << seed << ": " << walks.error().message;
        totals.add(*walks);
    }
    std::cout << rowOf("random", totals);
    EXPECT_EQ(quantile(totals.peaks, 0.5), 0);
    EXPECT_LE(quantile(totals.peaks, 0.95), 0.01);
    EXPECT_LE(quantile(totals.peaks, 1), 0.2);
    EXPECT_LE(quantile(totals.reserved, 0.5), 0.03);
    EXPECT_GE(totals.equal, kLeastEqual);
}

TEST_F(GpuRules, OfPresetsAndNnunetPeaksAreRightWithinOnePercent) {
    const auto list = standardExperiments(HIGHWATER_SOURCE_DIR "/../shared/plans/nextou-nnUNetPlans.json");
    ASSERT_TRUE(list) << list.error().message;
    Totals totals;
    for (const NamedExperiment& each : *list) {
        const auto walks = walkBoth(each.experiment);
        ASSERT_TRUE(walks) << each.name << ": " << walks.error().message;
        totals.add(*walks);
        const bool half = each.name.find("3d fp16_true channels_last") != std::string::npos;
        const bool nativeNorm = half || each.name.find("3d bf16 channels_last") != std::string::npos;
        EXPECT_LE(totals.peaks.back(), nativeNorm ? kNativeNormError : 0.01) << each.name;
        EXPECT_LE(totals.reserved.back(), half         ? kNativeNormReserved
                                          : nativeNorm ? kNativeNormError
                                                       : 0.01)
            << each.name;
    }
    std::cout << rowOf("standard", totals);
}

/// Offloaded tensors leave the device and return when the predictor says so.
TEST_F(GpuRules, OfOffloadedPlansPeaksAreRight) {
    constexpr int kRepeated = 400;  // so that storages are large enough to be offloaded
    Totals totals;
    int offloading = 0;
    for (int seed = 0; seed < 60; ++seed) {
        stack::Experiment e =
            stack::testing::withRandomPlan(randomGpuExperiment(seed), static_cast<std::uint64_t>(seed), true);
        e.step.batchSize *= kRepeated;
        const auto walks = walkBoth(e);
        ASSERT_TRUE(walks) << "seed " << seed << ": " << walks.error().message;
        totals.add(*walks);
        const auto prediction = predict::predict(e, *stack::inferShapes(e), walks->target);
        offloading += prediction && prediction->onHost > 0 ? 1 : 0;
    }
    std::cout << rowOf("offload", totals);
    EXPECT_GE(offloading, 20);
    EXPECT_EQ(quantile(totals.peaks, 0.5), 0);
    EXPECT_LE(quantile(totals.peaks, 0.95), 0.01);
    EXPECT_LE(quantile(totals.peaks, 1), 0.2);
}

/// The stack on data of up to twice its size along two axes, so that the walk has all of its windows.
bool addWindows(stack::Experiment& e, int seed) {
    auto* const input = std::get_if<stack::SyntheticInput>(&e.input);
    if (input == nullptr) {
        return false;
    }
    e.windows.emplace();
    e.windows->size.assign(input->shape.begin() + 1, input->shape.end());
    e.windows->overlap = 0;
    for (std::size_t axis = 1; axis < std::min<std::size_t>(input->shape.size(), 3); ++axis) {
        input->shape[axis] += input->shape[axis] * ((seed + static_cast<int>(axis)) % 4) / 3;
    }
    e.step.train = seed % 3 != 0;
    return stack::inferShapes(e).ok();
}

TEST_F(GpuRules, OfWindowsPeaksAreRight) {
    Totals totals;
    int inference = 0;
    for (int seed = 0; seed < 60; ++seed) {
        stack::Experiment e = randomGpuExperiment(seed);
        if (!addWindows(e, seed)) {
            continue;
        }
        const auto walks = walkBoth(e);
        ASSERT_TRUE(walks) << "seed " << seed << ": " << walks.error().message;
        totals.add(*walks);
        inference += e.step.train ? 0 : 1;
    }
    std::cout << rowOf("windows", totals);
    EXPECT_GE(totals.peaks.size(), 30U);
    EXPECT_GE(inference, 8);
    EXPECT_EQ(quantile(totals.peaks, 0.5), 0);
    EXPECT_LE(quantile(totals.peaks, 0.95), 0.01);
    EXPECT_LE(quantile(totals.peaks, 1), 0.2);
}

TEST_F(GpuRules, OfInplaceAbnPeaksAreRight) {
    Totals totals;
    for (int seed = 0; seed < 80; ++seed) {
        stack::Experiment e = randomGpuExperiment(seed, true);
        const stack::testing::WithInplaceAbn with(e, static_cast<std::uint64_t>(seed));
        if (with.made() == 0 || !stack::inferShapes(e)) {
            continue;
        }
        if (const auto missing = engine::missingKernels(e.stack, {true, 0})) {
            GTEST_SKIP() << *missing;
        }
        const auto walks = walkBoth(e);
        ASSERT_TRUE(walks) << "seed " << seed << ": " << walks.error().message;
        totals.add(*walks);
    }
    std::cout << rowOf("inplace_abn", totals);
    EXPECT_GE(totals.peaks.size(), 50U);
    EXPECT_EQ(quantile(totals.peaks, 0.5), 0);
    EXPECT_LE(quantile(totals.peaks, 0.95), 0.01);
    EXPECT_LE(quantile(totals.peaks, 1), 0.2);
}

TEST_F(GpuRules, SayWhetherItFits) {
    const auto list = standardExperiments("");
    ASSERT_TRUE(list) << list.error().message;
    Totals totals;
    for (const NamedExperiment& each : *list) {
        const auto walks = walkBoth(each.experiment);
        ASSERT_TRUE(walks) << each.name << ": " << walks.error().message;
        const auto ladder = climb(each.experiment, *walks);
        ASSERT_TRUE(ladder) << each.name << ": " << ladder.error().message;
        totals.add(*ladder);
    }
    EXPECT_GE(totals.rungs, 200);
    EXPECT_GE(totals.rungsRight, totals.rungs * 98 / 100);
}

}  // namespace
}  // namespace highwater::gpu
