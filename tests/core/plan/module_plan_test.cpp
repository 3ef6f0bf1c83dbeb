#include "core/plan/module_plan.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/stack/nnunet/modules.h"
#include "core/stack/nnunet/nnunet.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"

namespace highwater::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

stack::Experiment nnunetNetwork(const char* norm = "InstanceNorm3d") {
    auto plans = stack::testing::newerPlans();
    auto& kwargs = plans["configurations"]["3d_fullres"]["architecture"]["arch_kwargs"];
    kwargs["norm_op"] = std::string("torch.nn.") + norm;
    const auto made = stack::importNnunet(plans.dump(), "plans.json", {});
    EXPECT_TRUE(made) << made.error().message;
    return made->experiment;
}

std::vector<NamedPart> modulesIn(const stack::Experiment& experiment, stack::NnunetGrain grain) {
    std::vector<NamedPart> parts;
    for (const auto& module : stack::nnunetModules(experiment, grain)) {
        parts.push_back({module.name, module.first, module.last});
    }
    return parts;
}

std::vector<std::vector<NamedPart>> divisionsOf(const stack::Experiment& e) {
    return {modulesIn(e, stack::NnunetGrain::Stages), modulesIn(e, stack::NnunetGrain::Blocks)};
}

/// A GPU without shipped answers of cuDNN: of all batches equally little is known.
predict::Target a5000(const stack::Experiment& experiment) {
    auto target = predict::gpuTarget("a5000", experiment);
    EXPECT_TRUE(target) << target.error().message;
    return *target;
}

ModulePlans modulePlans(const stack::Experiment& e, Budget budget, const PlanChoices& choices = {}) {
    auto made = planModules(e, a5000(e), budget, divisionsOf(e), choices);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
}

PlanChoices withoutMicroBatches() {
    PlanChoices choices;
    choices.microBatches = false;
    return choices;
}

TEST(ModulePlan, ThatFitsChangesNothing) {
    const stack::Experiment e = nnunetNetwork();
    const ModulePlans made = modulePlans(e, std::nullopt);
    ASSERT_TRUE(made.best);
    EXPECT_EQ(made.best->plan.experiment, e);
    EXPECT_THAT(made.best->recomputed, IsEmpty());
    EXPECT_EQ(made.best->plan.slower, 0);
}

/// The figures are the predictor's, the plan is within the budget, and no module is recomputed in vain.
TEST(ModulePlan, RecomputesOnlyWhatTheBudgetNeeds) {
    const stack::Experiment e = nnunetNetwork();
    const predict::Target target = a5000(e);
    const ModulePlans all = modulePlans(e, base::kMiB, withoutMicroBatches());
    const base::Bytes most = counted(all.asItIs.fit, target), least = counted(all.least.plan.fit, target);
    ASSERT_LT(least, most * 3 / 4);
    std::size_t before = 0;
    for (const double share : {0.9, 0.5, 0.1}) {
        const auto budget = least + static_cast<base::Bytes>(share * static_cast<double>(most - least));
        const ModulePlans made = modulePlans(e, budget, withoutMicroBatches());
        ASSERT_TRUE(made.best) << share;
        const Plan& best = made.best->plan;
        EXPECT_TRUE(isWithin(best, target, budget));
        const auto& parts = best.experiment.step.checkpoint.plan;
        EXPECT_EQ(parts.size(), made.best->recomputed.size());
        EXPECT_GT(parts.size(), 0U);
        EXPECT_EQ(best.experiment.step.microBatches, 1);
        EXPECT_GT(best.slower, 0);
        if (best.experiment.backend.allocConf == e.backend.allocConf) {
            EXPECT_EQ(needOn(best.experiment, target)->peak.expected, best.fit.peak.expected);
        }
        EXPECT_GE(parts.size() + 3, before) << "less memory takes about as many modules or more";
        before = parts.size();
    }
}

TEST(ModulePlan, OfNoBudgetNamesTheLeast) {
    const stack::Experiment e = nnunetNetwork();
    const ModulePlans made = modulePlans(e, base::kMiB);
    EXPECT_FALSE(made.best);
    EXPECT_LT(made.least.plan.fit.peak.expected, made.asItIs.fit.peak.expected);
    EXPECT_EQ(made.least.plan.experiment.step.microBatches, 2);
    EXPECT_FALSE(made.least.plan.changes.empty());
}

/// torch.utils.checkpoint would update their running statistics twice, and a part has other statistics.
TEST(ModulePlan, LeavesBatchNormsAlone) {
    const ModulePlans made = modulePlans(nnunetNetwork("BatchNorm3d"), base::kMiB);
    EXPECT_FALSE(made.best);
    EXPECT_THAT(made.least.recomputed, IsEmpty());
    EXPECT_EQ(made.least.plan.experiment.step.microBatches, 1);
}

TEST(ModulePlan, NeedsATraining) {
    stack::Experiment e = nnunetNetwork();
    e.step.train = false;
    const auto made = planModules(e, a5000(e), std::nullopt, divisionsOf(e));
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, ::testing::HasSubstr("without training"));
}

TEST(ModulePlan, CanBeCancelled) {
    const stack::Experiment e = nnunetNetwork();
    const std::atomic<bool> cancel = true;
    const auto made = planModules(e, a5000(e), std::nullopt, divisionsOf(e), {}, {&cancel, {}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "cancelled");
}

}  // namespace
}  // namespace highwater::plan
