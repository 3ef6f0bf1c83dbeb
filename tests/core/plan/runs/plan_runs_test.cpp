#include "tests/core/plan/runs/plan_runs.h"

#include <gtest/gtest.h>

#include "tests/core/predict/accuracy/foretold.h"

namespace highwater::plan::testing {
namespace {

class PlanRuns : public ::testing::Test {
protected:
    void SetUp() override {
        if (const auto why = predict::testing::otherRules()) {
            GTEST_SKIP() << *why;
        }
    }
    predict::testing::Accuracy accuracy_;
};

TEST_F(PlanRuns, NoRunOfRandomStacksPassesItsBudget) {
    int runs = 0, recomputed = 0;
    for (const int seed : predict::testing::seedsByThreads(20)) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const auto all = planAndRun(accuracy_, predict::testing::makeCase(seed), 3, 0);
        ASSERT_TRUE(all) << all.error().message;
        for (const Planned& each : *all) {
            ++runs;
            recomputed += each.budget < each.asItIs ? 1 : 0;
            EXPECT_LE(each.measured, each.budget);
        }
    }
    EXPECT_EQ(runs, 60);
    EXPECT_GT(recomputed, 40);
}

TEST_F(PlanRuns, PlansAreAsFastAsTheBestOfAll) {
    std::vector<double> slower;
    for (int seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const auto all = planAndRun(accuracy_, smallCase(seed), 3, 3000);
        ASSERT_TRUE(all) << all.error().message;
        for (const Planned& each : *all) {
            if (each.bestMs > 0) {
                slower.push_back(each.ms / each.bestMs - 1);
            }
        }
    }
    EXPECT_GT(slower.size(), 60U);
    EXPECT_LE(predict::testing::quantile(slower, 0.5), 0.02);
    EXPECT_LE(predict::testing::quantile(slower, 0.95), 0.05);
}

}  // namespace
}  // namespace highwater::plan::testing
