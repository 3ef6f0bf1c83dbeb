#include "app/desktop/prediction/plan/plan_step_plot.h"

#include <gtest/gtest.h>

#include "tests/app/desktop/prediction/plan/samples.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::desktop {
namespace {

TEST(PlanStepPlot, StacksWhatIsComputedAgainOnTheRest) {
    const widgets::ChartScene scene = planStepScene(samples::steps(), {0, 311}, {600, 200});
    ASSERT_EQ(scene.series.size(), 2u);
    ASSERT_EQ(scene.columns.size(), 4u);
    EXPECT_EQ(scene.columns[2].tops[0], 8.0 * base::kGiB);
    EXPECT_EQ(scene.columns[2].tops[1], 11.0 * base::kGiB);
    EXPECT_EQ(scene.columns[1].tops[0], scene.columns[1].tops[1]);
    ASSERT_EQ(scene.outlines.size(), 1u);
    EXPECT_TRUE(scene.outlines[0].dotted);
    ASSERT_EQ(scene.lines.size(), 1u);
    EXPECT_EQ(scene.lines[0].label, "RTX 3060");
    EXPECT_GE(scene.upper, 23.0 * base::kGiB);
}

TEST(PlanStepPlot, TheCardComparesBothSteps) {
    const widgets::HoverCard card = planStepCard(samples::steps(), 160);
    ASSERT_EQ(card.rows.size(), 3u);
    EXPECT_EQ(card.rows[0].value, "11.0 GiB");
    EXPECT_EQ(card.rows[1].name, "recomputed");
    EXPECT_EQ(card.rows[2].value, "23.0 GiB");
    EXPECT_EQ(card.note, "recompute of layer 4");
    EXPECT_EQ(planStepCard(samples::steps(), 300).rows.size(), 2u) << "the other step has ended";
    EXPECT_TRUE(planStepCard({}, 1).empty());
}

TEST(PlanStepPlot, WithoutStepsItSaysWhatIsGoingOn) {
    PlanStepPlot plot;
    PlanSteps steps;
    steps.note = "predicting…";
    plot.setSteps(steps);
    EXPECT_EQ(plot.panel().chart().scene().hint, QStringLiteral("predicting…"));
    steps = samples::steps();
    steps.plan.clear();
    plot.setSteps(steps);
    EXPECT_TRUE(plot.panel().chart().scene().hint.isEmpty()) << "the step as it is stays in sight";
}

}  // namespace
}  // namespace highwater::desktop
