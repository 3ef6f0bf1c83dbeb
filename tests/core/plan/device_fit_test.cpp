#include "core/plan/device_fit.h"

#include <fmt/format.h>
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

/// The reported batch fits; the next larger one does not.
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

/// Deep stacks need as many predictions as flat ones, and only a few.
TEST(DeviceFit, TheLargestBatchTakesFewPredictions) {
    for (const std::int64_t batch : {1, 30, 5000}) {
        for (const char* id : {"rtx2080ti", "h200"}) {
            SCOPED_TRACE(fmt::format("{} on {}", batch, id));
            const stack::Experiment e = network(batch);
            std::size_t predictions = 0;
            Trying trying;
            trying.predictions = &predictions;
            const auto fit = fitOn(e, on(id, e), trying);
            ASSERT_TRUE(fit) << fit.error().message;
            EXPECT_GT(fit->largestBatch, 1);
            EXPECT_LE(predictions, 14U);
        }
    }
}

TEST(DeviceFit, WhatIsNotKnownMayNotFit) {
    stack::Experiment e = network(1, 1);
    stack::Unknown unknown{"cumsum", stack::inferShapes(e)->output, {}};
    e.stack.push_back({"", unknown});
    const auto fit = fitOn(e, on("rtx2080ti", e));
    ASSERT_TRUE(fit) << fit.error().message;
    EXPECT_TRUE(fit->atLeast);
    EXPECT_EQ(fit->largestBatch, -1);
    EXPECT_EQ(verdictText(*fit), "at least this much");
}

bool fitsOn(const stack::Experiment& experiment, const predict::Target& target) {
    return predict::predict(experiment, *stack::inferShapes(experiment), target)->fits == predict::Fits::Yes;
}

TEST(DeviceFit, TheLargestPatchGrowsInStrides) {
    const auto made = stack::testing::experimentOf(
        "[1, 32, 48, 64]",
        R"({"type": "conv", "out_channels": 24, "kernel_size": 3, "stride": 4, "padding": 1}, {"type": "relu"},
           {"type": "conv_transpose", "out_channels": 1, "kernel_size": 4, "stride": 4})",
        R"("loss": "mean")");
    ASSERT_TRUE(made) << made.error().message;
    const predict::Target target = on("rtx2080ti", *made);
    const auto found = largestOn(*made, target, "patch");
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_TRUE(found->fits && found->next);
    EXPECT_TRUE(fitsOn(*found->fits, target));
    EXPECT_FALSE(fitsOn(*found->next, target));
    const stack::Sizes patch = stack::patchOf(*found->fits), next = stack::patchOf(*found->next);
    EXPECT_EQ(next[0], patch[0] + 4);
    EXPECT_GT(patch[0], 32);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(patch[axis] % 4, 0);
        EXPECT_NEAR(static_cast<double>(patch[axis]) / static_cast<double>(patch[0]),
                    static_cast<double>(2 + axis) / 2, 4.0 / static_cast<double>(patch[0]));
    }
    EXPECT_EQ(found->fits->step.batchSize, made->step.batchSize);

    const auto batch = largestOn(network(4, 2), on("rtx2080ti", network(4, 2)), "batch_size");
    ASSERT_TRUE(batch && batch->fits && batch->next);
    EXPECT_EQ(batch->fits->step.batchSize,
              fitOn(network(4, 2), on("rtx2080ti", network(4, 2)))->largestBatch);
    EXPECT_EQ(batch->next->step.batchSize, batch->fits->step.batchSize + 2);
}

TEST(DeviceFit, TheLargestPatchMayBeSmallerOrNone) {
    stack::Experiment e = network(1);
    e.input = stack::SyntheticInput{{1, 1024, 1024, 1024}};
    const predict::Target target = on("rtx2080ti", e);
    const auto smaller = largestOn(e, target, "patch");
    ASSERT_TRUE(smaller && smaller->fits) << "a part of it fits";
    EXPECT_LT(stack::patchOf(*smaller->fits)[0], 1024);
    e.input = stack::SyntheticInput{{1, 4, 4, 4}};
    e.step.batchSize = 200'000'000;  // 19 GB of activations for one voxel each
    const auto none = largestOn(e, target, "patch");
    ASSERT_TRUE(none) << none.error().message;
    EXPECT_FALSE(none->fits);
    const auto wrong = largestOn(network(1), target, "kernel_size");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "\"kernel_size\" cannot be made larger; batch_size and patch can");
    const std::atomic<bool> cancel{true};
    EXPECT_EQ(largestOn(network(1), target, "patch", {&cancel, {}}).error().message, "cancelled");
}

/// A cuDNN whose plans all take 10 GiB.
struct Greedy {
    int asked = 0;
    bool operator()(const predict::Prediction& prediction, predict::Target& target) {
        auto answers = std::make_shared<predict::AskedTable>(*target.asked);
        bool fresh = false;
        for (const predict::Workspace& each : prediction.workspaces) {
            if (!each.question.empty() && answers->find(each.question) == nullptr) {
                answers->add(each.question, predict::AskedPlans{kBytes, kBytes, kBytes, kBytes, kBytes});
                fresh = true;
            }
        }
        asked += fresh ? 1 : 0;
        target.asked = answers;
        return fresh;
    }
    static constexpr base::Bytes kBytes = 10 * base::kGiB;
};

TEST(DeviceFit, WhereCudnnIsAskedItsAnswersDecide) {
    const predict::Target target = on("h100", network(1));
    ASSERT_TRUE(target.asked);
    std::int64_t found = 0;
    for (const std::int64_t batch : {1, 100, 400}) {
        SCOPED_TRACE(batch);
        Greedy cudnn;
        const Trying trying{nullptr, std::ref(cudnn)};
        const auto guessed = fitOn(network(batch), target);
        const auto asked = fitOn(network(batch), target, trying);
        ASSERT_TRUE(guessed && asked);
        EXPECT_GT(guessed->guessed, 0U);
        EXPECT_EQ(asked->guessed, 0U);
        EXPECT_GT(asked->asked, 0U);
        EXPECT_GT(cudnn.asked, 2);
        EXPECT_LT(cudnn.asked, 30) << "guesses come near";
        EXPECT_LT(asked->largestBatch, guessed->largestBatch);
        EXPECT_EQ(needOn(network(asked->largestBatch), target, trying)->fits, predict::Fits::Yes);
        EXPECT_NE(needOn(network(asked->largestBatch + 1), target, trying)->fits, predict::Fits::Yes);
        EXPECT_TRUE(found == 0 || found == asked->largestBatch) << "whatever the size is now";
        found = asked->largestBatch;
        const auto largest = largestOn(network(batch), target, "batch_size", trying);
        ASSERT_TRUE(largest && largest->fits);
        EXPECT_EQ(largest->fits->step.batchSize, found);
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
    const auto cancelled = fitOn(e, small, {&cancel, {}});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().message, "cancelled");
}

}  // namespace
}  // namespace highwater::plan
