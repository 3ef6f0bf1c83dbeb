#include <gmock/gmock.h>

#include <QPen>
#include <cmath>

#include "widgets/plot/live_plots.h"
#include "widgets/plot/loss_plot.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/plot/series.h"

namespace highwater::widgets {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

LossCurve curve(const QString& name, std::vector<double> losses, int warmup = 0, int color = 0) {
    return {name, std::move(losses), warmup, color};
}

std::vector<double> falling(int steps) {
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        losses.push_back(std::exp(-0.001 * i));
    }
    return losses;
}

TEST(LossScene, DrawsALineForEachRunFromItsFirstMeasuredStep) {
    const std::vector<LossCurve> curves = {curve("#1", {4, 2, 1}, 1), curve("#2", {3, 2.5, 2, 1.5}, 0, 1)};
    const StepRange range = lossRange(curves);
    EXPECT_DOUBLE_EQ(range.from, -0.5);  // the warm-up step is at 0
    EXPECT_DOUBLE_EQ(range.to, 4.5);
    const ChartScene scene = lossScene(curves, range, {400, 100}, false);
    ASSERT_EQ(scene.outlines.size(), 2U);
    EXPECT_EQ(scene.outlines[1].color, curveColor(0)) << "the first lies on top";
    EXPECT_DOUBLE_EQ(scene.outlines[1].points.front().x, 0);
    EXPECT_DOUBLE_EQ(scene.outlines[1].points.back().y, 1);
    EXPECT_LT(scene.lower, 1);
    EXPECT_GE(scene.lower, 0);
    EXPECT_GT(scene.upper, 4);
    EXPECT_EQ(scene.x.ticks.front().label, "warm-up");
    EXPECT_EQ(scene.x.ticks.front().at, 0);
    EXPECT_EQ(scene.separators, std::vector<double>{0.5}) << "the first step that is measured begins there";
    const std::vector<LossCurve> measured = {curve("#2", {3, 2.5})};
    EXPECT_EQ(lossScene(measured, lossRange(measured), {400, 100}, false).x.ticks.front().label, "1");
    EXPECT_FALSE(scene.logY);
    EXPECT_TRUE(lossScene(curves, range, {400, 100}, true).logY);
    EXPECT_FALSE(lossScene(std::vector{curve("#1", {1, -1})}, {0.5, 2.5}, {400, 100}, true).logY);
}

TEST(LossScene, CurvesThatLieOnEachOtherAreAllSeen) {
    const std::vector<LossCurve> curves = {curve("#1", {4, 2, 1}, 0, 0), curve("#2", {3, 2.5, 2}, 0, 1),
                                           curve("#3", {4, 2.001, 1}, 0, 2), curve("#4", {9, 4, 2, 1}, 1, 3)};
    const ChartScene scene = lossScene(curves, lossRange(curves), {400, 100}, false);
    ASSERT_EQ(scene.outlines.size(), 4U);
    EXPECT_EQ(scene.outlines[0].color, curveColor(1)) << "it lies on nothing";
    EXPECT_EQ(scene.outlines[1].color, curveColor(0));
    EXPECT_EQ(scene.outlines[1].over, 0);
    EXPECT_EQ(scene.outlines[2].color, curveColor(2));
    EXPECT_EQ(scene.outlines[2].over, 1);
    EXPECT_EQ(scene.outlines[3].over, 2) << "that of the first measured steps, too";
    EXPECT_EQ(lossLegend(curves)[2].over, 1);
    EXPECT_EQ(outlinePen(Qt::red, false, 1).style(), Qt::CustomDashLine);
    EXPECT_EQ(outlinePen(Qt::red, false).style(), Qt::SolidLine);
}

TEST(LossScene, ThinsLongRunsAndSkipsWhatIsNoNumber) {
    std::vector<double> losses = falling(100000);
    losses[50000] = std::nan("");
    const std::vector<LossCurve> curves = {curve("#1", std::move(losses))};
    const ChartScene scene = lossScene(curves, lossRange(curves), {400, 100}, false);
    EXPECT_LE(scene.outlines.front().points.size(), 1700U);
    for (const OutlinePoint& point : scene.outlines.front().points) {
        EXPECT_TRUE(std::isfinite(point.y));
    }
    const std::vector<LossCurve> one = {curve("#1", {0.5})};
    EXPECT_EQ(lossScene(one, lossRange(one), {400, 100}, false).data.size(), 1U)
        << "a single step is a point";
}

TEST(LossScene, TheCardNamesTheLossesOfTheNearestStep) {
    const std::vector<LossCurve> curves = {curve("#1", {4, 2, 1}), curve("#2", {3, 2.5}, 0, 1)};
    const HoverCard card = lossCard(curves, 1.8);
    EXPECT_EQ(card.title, "step 2");
    ASSERT_EQ(card.rows.size(), 2U);
    EXPECT_EQ(card.rows[1].name, "#2");
    EXPECT_EQ(card.rows[1].value, "2.5");
    EXPECT_EQ(lossCard(curves, 3).rows.size(), 1U);
    EXPECT_TRUE(lossCard(curves, 9).empty());
    EXPECT_EQ(lossData(curves), "step\tloss of #1\tloss of #2\n1\t4\t3\n2\t2\t2.5\n3\t1\t\n");
}

TEST(LossScene, ColorsOfRunsAreDistinct) {
    QStringList seen;
    for (int i = 0; i < 12; ++i) {
        EXPECT_FALSE(seen.contains(curveColor(i).name())) << i;
        seen << curveColor(i).name();
    }
}

TEST(LossPlotTest, ShowsTheRunAloneOrThoseThatAreSelected) {
    LivePlots plots;
    plots.resize(700, 600);
    plots.show();
    plots.showLoss(true);
    plots.startRun(1, 3, {}, {}, 0);
    std::vector<StepBar> bars(4);
    for (int i = 0; i < 4; ++i) {
        bars[static_cast<std::size_t>(i)].index = i;
        bars[static_cast<std::size_t>(i)].warmup = i == 0;
        bars[static_cast<std::size_t>(i)].phaseMs = {1, 2, 0, 3, 1};
        bars[static_cast<std::size_t>(i)].loss = 4 - i;
    }
    plots.addSteps(std::span(bars).first(2));
    plots.flush();
    EXPECT_EQ(plots.timePanel().note().section(" · ", 0, 0), "1 s left");
    plots.addSteps(bars);
    plots.flush();
    ASSERT_EQ(plots.loss().curves().size(), 1U);
    EXPECT_THAT(plots.loss().curves()[0].losses, ElementsAre(4, 3, 2, 1));
    EXPECT_EQ(plots.loss().curves()[0].warmup, 1);
    EXPECT_EQ(plots.loss().panel().note(), "4 to 1");
    plots.loss().setSelected({curve("#1", {1, 2}), curve("#2", {2, 1}, 0, 1)});
    EXPECT_EQ(plots.loss().curves().size(), 3U) << "a run that goes on stays in sight";
    plots.finish("done");
    plots.flush();
    EXPECT_EQ(plots.loss().curves().size(), 2U);
    EXPECT_EQ(plots.loss().panel().note(), "2 runs");
    plots.loss().setSelected({curve("#1", {}), curve("#2", {2, 1}, 0, 1)});
    plots.flush();
    EXPECT_FALSE(plots.loss().ofRunAlone()) << "#1 ran out of memory: the curve is not the run's on show";
    ASSERT_EQ(plots.loss().panel().legend()->entries().size(), 1U);
    EXPECT_EQ(plots.loss().panel().legend()->entries()[0].name, "#2");
    plots.loss().setSelected({});
    plots.flush();
    EXPECT_EQ(plots.loss().curves().size(), 1U);
    plots.clear();
    plots.flush();
    EXPECT_TRUE(plots.loss().curves().empty());
}

TEST(LossPlotTest, StepsAreNotPutTogetherBecauseTheirTabIsNotUp) {
    LivePlots plots;
    plots.showLoss(true);
    plots.resize(700, 600);
    plots.show();
    plots.startRun(3, 20, {}, {}, 0);
    StepBar bar;
    bar.phaseMs = {1, 2, 0, 3, 1};
    plots.addSteps(std::span(&bar, 1));
    plots.flush();
    EXPECT_FALSE(plots.peakPanel().note().contains("each bar")) << plots.peakPanel().note().toStdString();
}

TEST(LossPlotTest, HowLongARunTakesIsSaidBesideTheLosses) {
    LivePlots plots;
    plots.showLoss(true);
    plots.resize(700, 600);
    plots.show();
    Forecast forecast;
    forecast.stepMs = 10'000;
    forecast.steps = 30;
    plots.setForecast(forecast);
    plots.flush();
    EXPECT_EQ(plots.loss().panel().chart().scene().hint,
              "Press Run to measure the loss of every step · " + runTimeText(forecast));
    EXPECT_TRUE(runTimeText(forecast).contains("for the 30 steps of a run"));
}

TEST(LossPlotTest, WithoutRoomTheMemoryStays) {
    QWidget window;  // inside a window, because a top-level window is never smaller than its contents
    LivePlots plots(&window);
    plots.startRun(0, 3, {}, {}, 0);
    window.show();
    plots.resize(600, 150);
    EXPECT_TRUE(plots.memoryPanel().isVisible());
    EXPECT_FALSE(plots.peakPanel().isVisible());
    EXPECT_FALSE(plots.timePanel().isVisible());
    plots.resize(600, 310);  // the memory plot keeps 168 pixels
    EXPECT_TRUE(plots.timePanel().isVisible());
    EXPECT_FALSE(plots.peakPanel().isVisible());
    plots.resize(600, 500);
    EXPECT_TRUE(plots.peakPanel().isVisible());
}

}  // namespace
}  // namespace highwater::widgets
