#include "app/desktop/study/interval_chart.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QMenu>
#include <QWheelEvent>

#include "app/desktop/study/factorial/effects_chart.h"
#include "tests/app/desktop/study/samples.h"
#include "widgets/plot/xy_chart.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {
namespace {

TEST(IntervalChart, TheAxisHoldsEveryIntervalAndZero) {
    const widgets::AxisSpan up = spanOf({"", "ms", {{"a", {10, 9, 14, 3}}, {"b", {2, 1, 3, 3}}}});
    EXPECT_EQ(up.from, 0);
    EXPECT_EQ(up.to, 14);
    const widgets::AxisSpan both = spanOf({"", "%", {{"a", {-18, -20, -17, 3}}, {"b", {2, -1, 5, 3}}}});
    EXPECT_EQ(both.from, -20);
    EXPECT_EQ(both.to, 5);
    EXPECT_LT(spanOf({"", "%", {{"a", {0, 0, 0, 3}}}}).from, spanOf({"", "%", {{"a", {0, 0, 0, 3}}}}).to);
}

TEST(IntervalChart, BarsBeginAtZeroAndAreAsLongAsTheirValue) {
    IntervalChart chart;
    chart.resize(600, 200);
    chart.setSections({{"memory", "B", {{"a", {200, 200, 200, 3}}, {"b", {100, 100, 100, 3}}}},
                       {"empty", "B", {}},
                       {"change", "%", {{"c", {-10, -12, -9, 3}}, {"d", {5, 4, 6, 3}}}}});
    ASSERT_EQ(chart.sections().size(), 2u) << "a section without bars is left out";
    EXPECT_NEAR(chart.barRect(0, 1).width() * 2, chart.barRect(0, 0).width(), 1e-6);
    EXPECT_EQ(chart.barRect(0, 0).left(), chart.barRect(0, 1).left());
    EXPECT_NEAR(chart.barRect(1, 0).right(), chart.barRect(1, 1).left(), 1e-6) << "both end at zero";
    EXPECT_GT(chart.barRect(1, 0).top(), chart.barRect(0, 1).bottom());
    EXPECT_FALSE(chart.grab().isNull());
}

TEST(IntervalChart, PaintsBarsInTheThemesColor) {
    IntervalChart chart;
    chart.setSections({{"memory", "B", {{"a", {200, 200, 200, 3}, QColor("#ff0000")}}}});
    chart.resize(600, chart.sizeHint().height());
    const QRectF bar = chart.barRect(0, 0);
    const QColor seen = chart.grab().toImage().pixelColor(bar.center().toPoint());
    EXPECT_GT(seen.red(), 180);
    EXPECT_LT(seen.green(), 90);
}

TEST(IntervalChart, PaintsTheIntervalAsAWhisker) {
    IntervalChart chart;
    chart.setSections({{"time", "ms", {{"a", {10, 5, 20, 3}, QColor("#ff0000")}}}});
    chart.resize(600, chart.sizeHint().height());
    const QRectF bar = chart.barRect(0, 0);
    const QImage image = chart.grab().toImage();
    const auto at = [&](double ms) {
        return image.pixelColor(QPointF(bar.left() + bar.width() * ms / 10, bar.center().y()).toPoint());
    };
    EXPECT_GT(at(15).lightness(), 120) << "the interval goes on to 20";
    EXPECT_LT(at(15).red() - at(15).green(), 60) << "in the color of text";
    EXPECT_GT(at(3).red() - at(3).green(), 100) << "before it begins there is the bar alone";
}

TEST(IntervalChart, EachSectionZoomsAlongItsAxisAndAMenuResetsAll) {
    IntervalChart chart;
    chart.resize(600, 200);
    chart.setSections(
        {{"memory", "B", {{"a", {200, 200, 200, 3}}}}, {"time", "ms", {{"b", {10, 9, 12, 3}}}}});
    chart.show();
    const auto sections = chart.findChildren<widgets::XyChart*>();
    ASSERT_EQ(sections.size(), 2);
    const QRectF memory = chart.barRect(0, 0), time = chart.barRect(1, 0);
    const QPointF at = time.center() - QPointF(sections[1]->pos());
    for (const auto modifiers : {Qt::NoModifier, Qt::ControlModifier}) {
        QWheelEvent wheel(at, sections[1]->mapToGlobal(at), {}, {0, 240}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(sections[1], &wheel);
        EXPECT_EQ(sections[1]->zoomed(), modifiers == Qt::ControlModifier)
            << "the wheel alone scrolls the page";
    }
    EXPECT_GT(chart.barRect(1, 0).width(), time.width() * 1.5);
    EXPECT_EQ(chart.barRect(0, 0), memory);
    const auto menu = chart.contextMenu();
    menu->actions().back()->trigger();
    EXPECT_EQ(chart.barRect(1, 0), time);
}

TEST(IntervalChart, ItsDataHasARowForEachBar) {
    IntervalChart chart;
    chart.setSections(
        {{"time", "ms", {{"a", {10, 9, 14.5, 3}}, {"b", {}}}}, {"ratio", "", {{"c", {2, 2, 2, 1}}}}});
    EXPECT_EQ(chart.data(),
              "section\tbar\tunit\tmedian\tlow\thigh\trepeats\n"
              "time\ta\tms\t10\t9\t14.5\t3\n"
              "time\tb\tms\t\t\t\t0\n"
              "ratio\tc\t1\t2\t2\t2\t1\n");
}

TEST(EffectsChart, TellsWhatLiesWithinTheNoise) {
    const auto sections = effectSections(samples::factorial().effects);
    ASSERT_EQ(sections.size(), 4u);
    EXPECT_EQ(sections[0].bars[0].text, "-10.0 %");
    EXPECT_EQ(sections[1].bars[0].text, "+40.0 % (+35.0 to +45.0 %)");
    EXPECT_FALSE(sections[1].bars[0].faded);
    EXPECT_EQ(sections[1].bars[1].text, "within the noise (-3.0 to +2.0 %)");
    EXPECT_TRUE(sections[1].bars[1].faded);
    EXPECT_EQ(sections[2].bars[0].text, "no change");
    EXPECT_EQ(sections[3].bars[0].text, "not known");
    EXPECT_EQ(sections[0].bars[0].color, widgets::theme().good);
    EXPECT_EQ(sections[1].bars[0].color, widgets::theme().bad);
}

}  // namespace
}  // namespace highwater::desktop
