#include "app/desktop/study/sweep/pareto_plot.h"

#include <gtest/gtest.h>

#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/app/desktop/study/samples.h"

namespace highwater::desktop {
namespace {

class ParetoPlotTest : public ::testing::Test {
protected:
    void SetUp() override {
        plot.resize(500, 360);
        plot.setRows(samples::factorial().combinations);
        plot.show();
    }
    ParetoPlot plot;
};

TEST_F(ParetoPlotTest, LessMemoryIsLeftAndLessTimeIsBelow) {
    const auto asItIs = plot.pointOf(0), inPlace = plot.pointOf(1), checkpoint = plot.pointOf(2);
    ASSERT_TRUE(asItIs && inPlace && checkpoint);
    EXPECT_LT(inPlace->x(), asItIs->x());
    EXPECT_GT(inPlace->y(), asItIs->y()) << "y grows downwards";
    EXPECT_LT(checkpoint->y(), asItIs->y());
    EXPECT_FALSE(plot.pointOf(3)) << "not measured";
    for (const auto& point : {asItIs, inPlace, checkpoint}) {
        EXPECT_TRUE(QRectF(plot.rect()).contains(*point));
    }
}

TEST_F(ParetoPlotTest, ThePointerNamesACombinationAndAClickChoosesIt) {
    QSignalSpy clicked(&plot, &ParetoPlot::rowClicked);
    const QPoint at = plot.pointOf(1)->toPoint();
    QTest::mouseMove(&plot, at);
    EXPECT_EQ(plot.hovered(), 1);
    const widgets::HoverCard card = plot.cardOf(1);
    EXPECT_EQ(card.title, "In-place activations");
    EXPECT_EQ(card.rows[0].value, "80.0 MiB");
    EXPECT_EQ(card.rows[1].value, "49.0 (48.0 to 50.5)");
    EXPECT_FALSE(card.note.isEmpty());
    QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked[0][0].toInt(), 1);
    QTest::mouseMove(&plot, QPoint(3, 3));
    EXPECT_EQ(plot.hovered(), -1);
    EXPECT_TRUE(plot.cardOf(3).empty());
}

TEST_F(ParetoPlotTest, AChosenOrHoveredPointHasARingAndItsName) {
    const auto rings = [this] {
        const auto& data = plot.scene().data;
        return data.back().kind == widgets::DataSeries::Kind::Rings ? data.back().points.size() : 0;
    };
    EXPECT_EQ(rings(), 0u);
    ASSERT_EQ(plot.scene().captions.size(), 3u) << "two axes and the first combination";
    plot.setCurrent(2);
    EXPECT_EQ(rings(), 1u);
    ASSERT_EQ(plot.scene().captions.size(), 4u);
    EXPECT_EQ(plot.scene().captions.back().text, "Checkpoint every block");
    QTest::mouseMove(&plot, plot.pointOf(1)->toPoint());
    EXPECT_EQ(rings(), 2u);
}

TEST_F(ParetoPlotTest, ALongNameIsElidedAndStaysBesideTheAxis) {
    auto rows = samples::factorial().combinations;
    rows[2].name = QString("kernel_size of 10 conv layers 3, padding of 10 conv layers 1, ").repeated(3);
    plot.setRows(rows);
    plot.setCurrent(2);
    const auto& caption = plot.scene().captions.back();
    EXPECT_TRUE(caption.text.startsWith("kernel_size of"));
    EXPECT_TRUE(caption.text.endsWith(QStringLiteral("…")));
    EXPECT_GE(caption.box.left(), plot.frame().rect.left());
    EXPECT_LE(caption.box.right(), plot.width());
}

TEST_F(ParetoPlotTest, TheFrontIsAStairsThroughItsPoints) {
    ASSERT_EQ(plot.scene().outlines.size(), 1u);
    const widgets::Outline& stairs = plot.scene().outlines[0];
    EXPECT_TRUE(stairs.stepwise);
    ASSERT_EQ(stairs.points.size(), 2u) << "down from above, then to the right";
    EXPECT_EQ(stairs.points[1].x, 80.0 * base::kMiB);
    EXPECT_EQ(stairs.points[1].y, 49);
    EXPECT_GT(stairs.points[0].y, 70);
}

TEST_F(ParetoPlotTest, ItZoomsAndItsAxesMayBeLogarithmic) {
    const widgets::PlotFrame whole = plot.frame();
    QTest::keyClick(&plot, Qt::Key_Plus);
    EXPECT_TRUE(plot.zoomed());
    QTest::mouseDClick(&plot, Qt::LeftButton, {}, whole.rect.center().toPoint());
    EXPECT_FALSE(plot.zoomed());
    const auto menu = plot.contextMenu();
    menu->actions().back()->trigger();
    const widgets::PlotFrame log = plot.frame();
    EXPECT_TRUE(log.x.log);
    EXPECT_TRUE(log.y.log);
    EXPECT_TRUE(QRectF(plot.rect()).contains(*plot.pointOf(2)));
    const double down = plot.pointOf(0)->y() - plot.pointOf(2)->y();
    EXPECT_NEAR(down / log.rect.height(), std::log(70.0 / 50) / std::log(log.y.to / log.y.from), 1e-6);
    menu->actions().back()->trigger();
    EXPECT_EQ(plot.frame().x, whole.x);
}

TEST_F(ParetoPlotTest, ItsDataHasARowForEachMeasuredCombination) {
    const QStringList lines = plot.data().split('\n');
    ASSERT_EQ(lines.size(), 5) << "a header, three of four and the end";
    EXPECT_EQ(lines[0],
              "combination\tpeak memory (bytes)\tstep (ms)\tlow (ms)\thigh (ms)\trepeats\tPareto front");
    EXPECT_EQ(lines[1], "unchanged\t104857600\t50\t49\t51.5\t3\tno");
    EXPECT_TRUE(lines[2].endsWith("\tyes"));
}

TEST_F(ParetoPlotTest, NothingOrOnePointPaintsToo) {
    EXPECT_FALSE(plot.grab().isNull());
    plot.setRows({});
    EXPECT_FALSE(plot.grab().isNull());
    plot.setRows({samples::combination("unchanged", 0, 0, true)});
    ASSERT_TRUE(plot.pointOf(0));
    EXPECT_TRUE(QRectF(plot.rect()).contains(*plot.pointOf(0)));
    EXPECT_FALSE(plot.grab().isNull());
    plot.setRows(
        {samples::combination("a", base::kGiB, 5, true), samples::combination("b", base::kGiB, 6, false)});
    EXPECT_FALSE(plot.grab().isNull());
}

}  // namespace
}  // namespace highwater::desktop
