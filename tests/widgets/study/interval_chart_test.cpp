#include "widgets/study/interval_chart.h"

#include <gtest/gtest.h>

#include "tests/widgets/study/samples.h"
#include "widgets/study/effects_chart.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

TEST(IntervalChart, TheAxisHoldsEveryIntervalAndZero) {
    const AxisSpan up = spanOf({"", "ms", {{"a", {10, 9, 14, 3}}, {"b", {2, 1, 3, 3}}}});
    EXPECT_EQ(up.from, 0);
    EXPECT_EQ(up.to, 14);
    const AxisSpan both = spanOf({"", "%", {{"a", {-18, -20, -17, 3}}, {"b", {2, -1, 5, 3}}}});
    EXPECT_EQ(both.from, -20);
    EXPECT_EQ(both.to, 5);
    EXPECT_LT(spanOf({"", "%", {{"a", {0, 0, 0, 3}}}}).from, spanOf({"", "%", {{"a", {0, 0, 0, 3}}}}).to);
}

TEST(IntervalChart, TicksAreRoundAndNeverMoreThanAsked) {
    EXPECT_EQ(roundTicks({0, 14}, 4), (std::vector<double>{0, 5, 10}));
    EXPECT_EQ(roundTicks({-20, 5}, 5), (std::vector<double>{-20, -15, -10, -5, 0, 5}));
    for (const double to : {0.03, 1.0, 7.3, 999.0, 1e9}) {
        for (const int most : {1, 3, 8}) {
            EXPECT_LE(roundTicks({0, to}, most).size(), static_cast<std::size_t>(most) + 1);
        }
    }
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

TEST(IntervalChart, PaintsBarsInTheThemesColour) {
    IntervalChart chart;
    chart.setSections({{"memory", "B", {{"a", {200, 200, 200, 3}, QColor("#ff0000")}}}});
    chart.resize(600, chart.sizeHint().height());
    const QRectF bar = chart.barRect(0, 0);
    const QColor seen = chart.grab().toImage().pixelColor(bar.center().toPoint());
    EXPECT_GT(seen.red(), 180);
    EXPECT_LT(seen.green(), 90);
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
    EXPECT_EQ(sections[0].bars[0].colour, theme().good);
    EXPECT_EQ(sections[1].bars[0].colour, theme().bad);
}

}  // namespace
}  // namespace highwater::widgets
