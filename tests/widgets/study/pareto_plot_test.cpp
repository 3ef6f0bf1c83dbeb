#include "widgets/study/pareto_plot.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "tests/widgets/study/samples.h"

namespace highwater::widgets {
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
    const HoverCard card = plot.cardOf(1);
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

TEST_F(ParetoPlotTest, NothingOrOnePointPaintsToo) {
    EXPECT_FALSE(plot.grab().isNull());
    plot.setRows({});
    EXPECT_FALSE(plot.grab().isNull());
    plot.setRows({samples::combination("as it is", 0, 0, true)});
    ASSERT_TRUE(plot.pointOf(0));
    EXPECT_TRUE(QRectF(plot.rect()).contains(*plot.pointOf(0)));
    EXPECT_FALSE(plot.grab().isNull());
    plot.setRows(
        {samples::combination("a", base::kGiB, 5, true), samples::combination("b", base::kGiB, 6, false)});
    EXPECT_FALSE(plot.grab().isNull());
}

}  // namespace
}  // namespace highwater::widgets
