#include "core/predict/fitting.h"

#include <gmock/gmock.h>

#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"

namespace highwater::predict {
namespace {

using ::testing::HasSubstr;

stack::Experiment small(std::int64_t batch, std::int64_t size) {
    stack::Experiment e;
    e.input = stack::SyntheticInput{{1, size, size, size}};
    stack::Conv conv;
    conv.dims = 3;
    conv.outChannels = 8;
    conv.kernelSize = {3};
    conv.padding.sizes = {1};
    e.stack.push_back({{}, conv});
    e.loss = stack::Loss::Mean;
    e.step.batchSize = batch;
    return e;
}

Target gpu(const stack::Experiment& e) {
    return *gpuTarget("h100", e);
}

Fits fitsInto(const stack::Experiment& e, base::Bytes capacity) {
    Target target = gpu(e);
    target.gpu->memory = capacity;
    target.gpu->memorySource = DeviceProfile::Source::Measured;
    return predict(e, *stack::inferShapes(e), target, {})->fits;
}

TEST(WhatFits, NamesTheLargestBatchThatFits) {
    const stack::Experiment e = small(64, 64);
    constexpr base::Bytes kCapacity = base::kGiB;
    ASSERT_NE(fitsInto(e, kCapacity), Fits::Yes);
    const auto found = whatFits(e, gpu(e), kCapacity);
    ASSERT_TRUE(found);
    EXPECT_GT(found->batch, 0);
    EXPECT_EQ(found->experiment.step.batchSize, found->batch);
    EXPECT_EQ(fitsInto(small(found->batch, 64), kCapacity), Fits::Yes);
    EXPECT_NE(fitsInto(small(found->batch + 1, 64), kCapacity), Fits::Yes);
    EXPECT_GT(found->peak, 0);
    EXPECT_LT(found->peak, kCapacity);
    EXPECT_THAT(found->text(), HasSubstr("would have fitted: "));
    EXPECT_THAT(found->text(), HasSubstr("a batch of "));
}

TEST(WhatFits, MakesTheInputSmallerWhereNoBatchFits) {
    const stack::Experiment e = small(2, 256);
    constexpr base::Bytes kCapacity = base::kGiB;
    ASSERT_NE(fitsInto(small(1, 256), kCapacity), Fits::Yes);
    const auto found = whatFits(e, gpu(e), kCapacity);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->batch, 0);
    EXPECT_EQ(found->experiment.step.batchSize, 1);
    EXPECT_EQ(fitsInto(found->experiment, kCapacity), Fits::Yes);
    EXPECT_THAT(found->text(), HasSubstr("at batch size 1, an input of "));
}

TEST(WhatFits, NothingWhereNotEvenOneVoxelFits) {
    const stack::Experiment e = small(4, 64);
    EXPECT_FALSE(whatFits(e, gpu(e), base::kMiB));
}

TEST(WhatFits, NothingForAnExperimentThatIsNotValid) {
    stack::Experiment e = small(4, 64);
    e.stack.clear();
    EXPECT_FALSE(whatFits(e, gpu(small(4, 64)), base::kGiB));
}

TEST(GpuTargetOfADevice, IsItsOwnProfileWhereThereIsOne) {
    const stack::Experiment e = small(1, 16);
    const auto target = gpuTarget(GpuPresent{"NVIDIA H200", 143771 * base::kMiB, 90}, e);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->id, "h200");
    EXPECT_TRUE(target->notes.empty());
}

TEST(GpuTargetOfADevice, IsTheNearestArchitecturesOtherwiseAndSaysSo) {
    const stack::Experiment e = small(1, 16);
    const auto target =
        gpuTarget(GpuPresent{"NVIDIA Something 77", 33 * base::kGiB, 88, {2, 11}, CudnnVersion{9, 19, 0}}, e);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->id, "NVIDIA Something 77");
    EXPECT_EQ(target->memory, 33 * base::kGiB);
    EXPECT_EQ(target->versions.architecture, 88);
    EXPECT_EQ(target->versions.cudnn, (CudnnVersion{9, 19, 0}));
    ASSERT_EQ(target->notes.size(), 1U);
    EXPECT_THAT(target->notes[0], HasSubstr("there is no profile of NVIDIA Something 77"));
}

}  // namespace
}  // namespace highwater::predict
