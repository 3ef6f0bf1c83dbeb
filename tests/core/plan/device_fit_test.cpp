#include "core/plan/device_fit.h"

#include <gtest/gtest.h>

#include "core/stack/shapes.h"
#include "tests/core/stack/build.h"

namespace highwater::plan {
namespace {

stack::Experiment network(std::int64_t batch, std::int64_t parts = 1) {
    auto made = stack::testing::experimentOf(
        "[1, 64, 64, 64]",
        R"({"type": "conv", "out_channels": 24, "kernel_size": 3, "padding": 1}, {"type": "relu"},
           {"type": "conv", "out_channels": 1, "kernel_size": 1})",
        R"("loss": "mean", "step": {"batch_size": )" + std::to_string(batch) + R"(, "micro_batches": )" +
            std::to_string(parts) + "}");
    EXPECT_TRUE(made) << made.error().message;
    return *made;
}

predict::Target on(const char* id, const stack::Experiment& experiment) {
    auto target = predict::gpuTarget(id, experiment);
    EXPECT_TRUE(target) << target.error().message;
    return *target;
}

/// The batch that is named fits; the next one does not.
TEST(DeviceFit, TheLargestBatchIsThat) {
    for (const auto& [batch, parts] : {std::pair{1, 1}, {6, 3}, {400, 1}}) {
        const stack::Experiment e = network(batch, parts);
        const predict::Target target = on("rtx2080ti", e);
        const auto fit = fitOn(e, target);
        ASSERT_TRUE(fit) << fit.error().message;
        EXPECT_GT(fit->capacity, 10 * base::kGiB);
        EXPECT_GT(fit->stepMs.expected, 0);
        ASSERT_GT(fit->largestBatch, parts);
        EXPECT_EQ(fit->largestBatch % parts, 0);
        const auto fits = [&](std::int64_t size) {
            const stack::Experiment other = network(size, parts);
            return predict::predict(other, *stack::inferShapes(other), target)->fits == predict::Fits::Yes;
        };
        EXPECT_TRUE(fits(fit->largestBatch));
        EXPECT_FALSE(fits(fit->largestBatch + parts));
        EXPECT_EQ(fit->fits == predict::Fits::Yes, batch <= fit->largestBatch);
    }
}

TEST(DeviceFit, WhereNothingFitsAndWhereItIsCancelled) {
    stack::Experiment e = network(1);
    e.input = stack::SyntheticInput{{1, 512, 512, 512}};
    const predict::Target small = on("rtx2080ti", e);
    const auto none = fitOn(e, small);
    ASSERT_TRUE(none) << none.error().message;
    EXPECT_EQ(none->largestBatch, 0);
    EXPECT_EQ(none->fits, predict::Fits::No);
    const std::atomic<bool> cancel{true};
    const auto cancelled = fitOn(e, small, &cancel);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().message, "cancelled");
}

}  // namespace
}  // namespace highwater::plan
