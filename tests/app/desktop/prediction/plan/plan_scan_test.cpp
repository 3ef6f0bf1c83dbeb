#include "app/desktop/prediction/plan/plan_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/presets/presets.h"
#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

using highwater::test::waitUntil;
using ::testing::HasSubstr;

/// Every plan of every convolution needs that much workspace.
ask::Learner::Work answering(base::Bytes needs) {
    return [needs](const predict::AskedKey& key, const predict::Prediction& prediction,
                   const ask::Asking& asking) -> base::Result<ask::Answers> {
        ask::Answers answers{predict::AskedTable(key), ""};
        for (const std::string& question : ask::openQuestions(prediction)) {
            asking.tried->insert(question);
            answers.table.add(question, predict::AskedPlans{needs, needs, needs, needs, needs});
        }
        return answers;
    };
}

/// What is said of the steps of the plan with the least memory.
std::string noteOfLeast(base::Bytes workspace) {
    PlanScan scan(answering(workspace));
    std::shared_ptr<const PlanScan::Found> found;
    std::optional<PlanSteps> steps;
    QObject::connect(&scan, &PlanScan::found, [&](const auto& now) { found = now; });
    QObject::connect(&scan, &PlanScan::stepsPredicted, [&](int, const auto& now) { steps = now; });
    PlanScan::Request request;
    request.experiment = (*stack::loadPresets()).front().experiment;
    request.experiment.input = stack::SyntheticInput{{1, 24, 24, 24}};
    request.target = {"rtx3060", {}, {}};
    request.device = "RTX 3060 12 GB";
    scan.start(request);
    EXPECT_TRUE(waitUntil([&] { return !scan.running(); }));
    if (!found || found->curve.plans.empty()) {
        ADD_FAILURE() << "there is no plan";
        return "";
    }
    for (const plan::Plan& plan : found->curve.plans) {
        EXPECT_GT(plan.fit.asked, 0U);
        EXPECT_EQ(plan.fit.guessed, 0U);
    }
    scan.predictSteps(0);
    EXPECT_TRUE(waitUntil([&] { return steps.has_value(); }));
    return steps ? steps->note.toStdString() : "";
}

/// The steps on show are predicted with the answers that the plans were found with, not with guesses.
TEST(PlanScan, PredictsStepsWithWhatCudnnAnswered) {
    const std::string some = noteOfLeast(24 * base::kMiB), more = noteOfLeast(48 * base::kMiB);
    EXPECT_THAT(some, HasSubstr("tensors, predicted (estimate) for RTX 3060 12 GB · peak 32.2 MiB "));
    EXPECT_THAT(more, HasSubstr("tensors, predicted (estimate) for RTX 3060 12 GB · peak 56.2 MiB "));
}

}  // namespace
}  // namespace highwater::desktop
