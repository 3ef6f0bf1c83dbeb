#include <gmock/gmock.h>

#include "core/predict/workspaces/workspace.h"
#include "tests/core/stack/build.h"

/// Asking a newer cuDNN in place of an older one, and what it is not asked.
namespace highwater::predict {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr base::Bytes kPlan = 64 * base::kMiB;

stack::Experiment network(const std::string& batch = "4") {
    auto made = stack::testing::experimentOf(
        "[8, 32, 32, 32]",
        R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1}, {"type": "relu"},
           {"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1})",
        R"("loss": "mean", "step": {"batch_size": )" + batch + "}");
    EXPECT_TRUE(made) << made.error().message;
    return *made;
}

/// A target for which each question is answered with plans of 64 MiB.
Target answered(const stack::Experiment& experiment, memory::TorchVersion libtorch, CudnnVersion cudnn) {
    auto target = gpuTarget("a100-40", experiment, libtorch, cudnn);
    EXPECT_TRUE(target) << target.error().message;
    const auto open = predict(experiment, *stack::inferShapes(experiment), *target);
    auto answers = std::make_shared<AskedTable>(*target->asked);
    for (const Workspace& each : open->workspaces) {
        if (!each.question.empty()) {
            answers->add(each.question, AskedPlans{kPlan, kPlan, kPlan, kPlan, kPlan});
        }
    }
    target->asked = answers;
    return *target;
}

TEST(LaterCudnn, RangesReachDownToNoWorkspace) {
    const stack::Experiment e = network();
    const auto info = stack::inferShapes(e);
    const Target own = answered(e, {2, 11}, {9, 19, 0}), other = answered(e, {2, 4}, {9, 19, 0});
    EXPECT_FALSE(own.asksLaterCudnn());
    EXPECT_FALSE(answered(e, {2, 4}, {9, 1, 0}).asksLaterCudnn());
    ASSERT_TRUE(other.asksLaterCudnn());
    const auto certain = predict(e, *info, own), ranged = predict(e, *info, other);
    ASSERT_TRUE(certain && ranged);
    ASSERT_GT(ranged->asked, 0U);
    EXPECT_TRUE(certain->peakAllocated.exact());
    EXPECT_LT(ranged->peakAllocated.low, ranged->peakAllocated.expected - kPlan / 2);
    for (const Workspace& each : ranged->workspaces) {
        if (each.source == Workspace::Source::Asked) {
            EXPECT_EQ(each.bytes.low, 0);
            EXPECT_EQ(each.bytes.expected, kPlan);
        }
    }
    EXPECT_THAT(ranged->basis, HasSubstr("asked of cuDNN 9.19.0 in place of PyTorch 2.4's 9.1.0"));
    EXPECT_THAT(ranged->guesses,
                Contains(HasSubstr("PyTorch 2.4 comes with cuDNN 9.1.0, the answers are those of 9.19.0")));
    EXPECT_THAT(certain->guesses, Not(Contains(HasSubstr("comes with cuDNN"))));
}

/// While an older cuDNN times its plans, it may hold all free memory.
TEST(LaterCudnn, ASearchMayHoldWhatIsFree) {
    stack::Experiment e = network();
    e.backend.benchmark = true;
    const Target own = answered(e, {2, 11}, {9, 19, 0}), other = answered(e, {2, 4}, {9, 19, 0});
    const auto certain = predict(e, *stack::inferShapes(e), own),
               ranged = predict(e, *stack::inferShapes(e), other);
    ASSERT_TRUE(certain && ranged);
    EXPECT_LT(certain->peakReserved.high, base::kGiB);
    EXPECT_GT(ranged->peakReserved.high, 30 * base::kGiB);
    EXPECT_EQ(ranged->fits, Fits::Yes) << "a search takes less where less is free";
    EXPECT_THAT(ranged->guesses,
                Contains(HasSubstr("what cuDNN 9.1.0 uses while benchmark times its plans")));
}

TEST(LaterCudnn, NobodyIsAskedAboutWhatNoDeviceHolds) {
    for (const std::string batch : {"4", "2000000"}) {
        const stack::Experiment e = network(batch);
        const auto info = stack::inferShapes(e);
        ASSERT_TRUE(info) << info.error().message;
        const auto target = gpuTarget("rtx4090", e);
        ASSERT_TRUE(target);
        Target fresh = *target;
        fresh.asked = std::make_shared<AskedTable>(target->asked->key());
        const auto predicted = predict(e, *info, fresh);
        ASSERT_TRUE(predicted) << predicted.error().message;
        ASSERT_FALSE(predicted->workspaces.empty());
        for (const Workspace& each : predicted->workspaces) {
            EXPECT_EQ(each.question.empty(), batch != "4");
        }
    }
}

}  // namespace
}  // namespace highwater::predict
