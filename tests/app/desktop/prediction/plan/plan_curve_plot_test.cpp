#include "app/desktop/prediction/plan/plan_curve_plot.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "tests/app/desktop/prediction/plan/samples.h"
#include "widgets/plot/hover_card.h"

namespace highwater::desktop {
namespace {

class PlanCurvePlotTest : public ::testing::Test {
protected:
    void SetUp() override {
        plot.resize(700, 360);
        plot.setCurve(samples::curve());
        plot.setChosen(2);
        plot.show();
    }
    PlanCurvePlot plot;
};

TEST_F(PlanCurvePlotTest, IsAStairsDownToTheExperimentAsItIs) {
    ASSERT_EQ(plot.scene().outlines.size(), 1u);
    const widgets::Outline& stairs = plot.scene().outlines[0];
    EXPECT_TRUE(stairs.stepwise);
    ASSERT_EQ(stairs.points.size(), 5u);
    EXPECT_DOUBLE_EQ(stairs.points.front().y, 78);
    EXPECT_DOUBLE_EQ(stairs.points.back().y, 0);
    EXPECT_LT(plot.placeOf(0).x(), plot.placeOf(4).x());
    EXPECT_LT(plot.placeOf(0).y(), plot.placeOf(4).y()) << "slower lies above";
}

TEST_F(PlanCurvePlotTest, NamesTheBudgetAndTheDevicesNearIt) {
    const auto& lines = plot.scene().uprights;
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].label, QStringLiteral("RTX 3060 · 12.0 GiB"));
    EXPECT_FALSE(lines[0].dashed);
    EXPECT_TRUE(lines[1].dashed);
    bool atZero = false;
    for (const widgets::Tick& tick : plot.scene().y.ticks) {
        atZero = atZero || tick.label == "unchanged";
    }
    EXPECT_TRUE(atZero);
}

TEST_F(PlanCurvePlotTest, TheCardSaysWhatTheChosenPlanRestsOn) {
    const auto* card = static_cast<widgets::HoverCardWidget*>(plot.children().last());
    EXPECT_TRUE(card->isVisible());
    EXPECT_EQ(card->card().title, QStringLiteral("11.0 GiB · 311 ms per step"));
    EXPECT_TRUE(card->card().note.startsWith("asked of cuDNN 9.19.0"));
    EXPECT_TRUE(plot.rect().contains(card->geometry()));
    QTest::mouseMove(&plot, plot.placeOf(0).toPoint());
    EXPECT_TRUE(card->card().title.startsWith("6.00 GiB")) << "of the plan under the pointer";
}

TEST_F(PlanCurvePlotTest, AClickChooses) {
    QSignalSpy clicked(&plot, &PlanCurvePlot::planClicked);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.placeOf(1).toPoint());
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked[0][0].toInt(), 1);
    EXPECT_TRUE(plot.data().contains("recompute") || plot.data().contains("recomputed"));
}

TEST_F(PlanCurvePlotTest, OnePlanAloneHasAxesToo) {
    PlanCurveValues one = samples::curve();
    one.points = {one.asItIs};
    one.budget = 0;
    plot.setCurve(one);
    plot.setChosen(0);
    EXPECT_TRUE(plot.frame().rect.contains(plot.placeOf(0)));
}

}  // namespace
}  // namespace highwater::desktop
