#include "core/plan/propose_patch.h"

#include <gmock/gmock.h>

#include "core/stack/nnunet/nnunet.h"
#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "tests/core/plan/volumes.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"

namespace highwater::plan::testing {
namespace {

using ::testing::HasSubstr;

stack::Experiment unet() {
    const auto presets = stack::loadPresets();
    EXPECT_TRUE(presets.ok());
    for (const stack::Preset& preset : *presets) {
        if (preset.id == "unet-3d") {
            return preset.experiment;
        }
    }
    ADD_FAILURE() << "no preset unet-3d";
    return {};
}

predict::Target gpu(const char* id, const stack::Experiment& experiment) {
    auto target = predict::gpuTarget(id, experiment);
    EXPECT_TRUE(target.ok()) << target.error().message;
    return *target;
}

predict::Fits fits(const stack::Experiment& experiment, const predict::Target& target) {
    return predict::predict(experiment, *stack::inferShapes(experiment), target)->fits;
}

/// For a cohort like BraTS': the proposal certainly fits that GPU, and nothing larger does.
TEST(PredictedPeak, AProposalFitsItsGpuAndNoMoreDoes) {
    const stack::Experiment experiment = unet();
    const auto cases = cohort(484, {240, 240, 155});
    std::int64_t before = 0;
    for (const char* id : {"rtx3060", "rtx4090"}) {
        SCOPED_TRACE(id);
        const predict::Target target = gpu(id, experiment);
        ProposeOptions options;
        options.capacity = stepCapacity(target);
        EXPECT_EQ(options.capacity, target.gpu->memory);
        const auto found = proposePatch(experiment, cases, predictedPeak(target), options);
        ASSERT_TRUE(found.ok()) << found.error().message;
        EXPECT_EQ(fits(withPatch(experiment, found->patch, found->batch), target), predict::Fits::Yes);
        EXPECT_NE(fits(withPatch(experiment, found->patch, found->batch + 1), target), predict::Fits::Yes);
        const auto stride = strideOf(experiment);
        EXPECT_EQ(stride, (std::array<std::int64_t, 3>{8, 8, 8}));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            stack::Sizes larger = found->patch;
            larger[axis] += stride[axis];
            if (larger[axis] <= (found->medianSize[2 - axis] + 7) / 8 * 8) {
                EXPECT_NE(fits(withPatch(experiment, larger, 2), target), predict::Fits::Yes);
            }
        }
        const std::int64_t voxels = found->patch[0] * found->patch[1] * found->patch[2];
        EXPECT_GT(voxels, before) << "a larger GPU, a larger patch";
        before = voxels;
    }
}

/// nnU-Net trains with cuDNN's benchmark, whose search may need more than the plans it chooses. The proposal
/// certainly fits with it, and is not larger than what would fit without.
TEST(PredictedPeak, AnImportedPlanIsProposedWithItsBenchmark) {
    const auto made = stack::importNnunet(stack::testing::newerPlans().dump(), "plans.json", {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    stack::Experiment without = made->experiment;
    without.backend.benchmark = false;
    const auto proposed = [](const stack::Experiment& experiment) {
        const predict::Target target = gpu("rtx4090", experiment);
        ProposeOptions options;
        options.capacity = stepCapacity(target);
        const auto found =
            proposePatch(experiment, cohort(484, {240, 240, 155}), predictedPeak(target), options);
        EXPECT_TRUE(found.ok()) << found.error().message;
        if (!found.ok()) {
            return std::int64_t{0};
        }
        EXPECT_EQ(fits(withPatch(experiment, found->patch, found->batch), target), predict::Fits::Yes);
        return found->patch[0] * found->patch[1] * found->patch[2] * found->batch;
    };
    EXPECT_LE(proposed(made->experiment), proposed(without));
    const auto peak = [](const stack::Experiment& experiment) {
        return predict::predict(experiment, *stack::inferShapes(experiment), gpu("rtx4090", experiment))
            ->peakReserved;
    };
    EXPECT_GT(peak(made->experiment).expected, peak(without).expected);
    EXPECT_GT(peak(made->experiment).high, peak(without).high);
}

TEST(PredictedPeak, CountsTheContextAndWhatOthersHold) {
    const stack::Experiment experiment = unet();
    predict::Target target = gpu("rtx3060", experiment);
    const auto prediction = predict::predict(experiment, *stack::inferShapes(experiment), target);
    ASSERT_TRUE(prediction.ok());
    EXPECT_EQ(*predictedPeak(target)(experiment),
              prediction->peakReserved.expected + target.gpu->context.expected);
    target.others = target.gpu->memory - base::kMiB;
    EXPECT_EQ(stepCapacity(target), base::kMiB);
    EXPECT_GT(*predictedPeak(target)(experiment), stepCapacity(target));
}

TEST(PredictedPeak, OnTheCpuWhatIsAllocated) {
    const stack::Experiment experiment = onCohort(smallUnet());
    auto target = predict::cpuTarget(experiment);
    ASSERT_TRUE(target.ok()) << target.error().message;
    target->memory = 4 * base::kGiB;
    ProposeOptions options;
    options.capacity = stepCapacity(*target);
    EXPECT_EQ(options.capacity, 4 * base::kGiB);
    const auto found = proposePatch(experiment, cohort(200, {128, 128, 96}), predictedPeak(*target), options);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(fits(withPatch(experiment, found->patch, found->batch), *target), predict::Fits::Yes);
    EXPECT_LE(found->peak, options.capacity);
}

TEST(PredictedPeak, AnExperimentThatCannotBeIsItsError) {
    const stack::Experiment experiment = onCohort(R"({"type": "conv", "out_channels": 1, "kernel_size": 7})");
    const auto peak = predictedPeak(gpu("t4", experiment))(withPatch(experiment, {4, 4, 4}, 1));
    ASSERT_FALSE(peak.ok());
    EXPECT_THAT(peak.error().message, HasSubstr("kernel 7"));
}

}  // namespace
}  // namespace highwater::plan::testing
