#include "widgets/plot/ticks.h"

#include <gmock/gmock.h>

#include <cmath>

namespace highwater::widgets {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const Ticks& ticks) {
    std::vector<std::string> out;
    for (const Tick& tick : ticks.ticks) {
        out.push_back(tick.label);
    }
    return out;
}

std::vector<double> places(const Ticks& ticks) {
    std::vector<double> out;
    for (const Tick& tick : ticks.ticks) {
        out.push_back(tick.at);
    }
    return out;
}

constexpr double kMebi = 1 << 20, kGibi = 1 << 30;

TEST(BinaryTicks, ArePowersOfTwoOfTheUnit) {
    const Ticks gib = binaryTicks(2.2 * kGibi, 6);
    EXPECT_EQ(gib.unit, "GiB");
    EXPECT_THAT(labels(gib), ElementsAre("0", "0.5", "1", "1.5", "2"));
    EXPECT_EQ(gib.ticks[1].at, 0.5 * kGibi);
    const Ticks mib = binaryTicks(700 * kMebi, 6);
    EXPECT_EQ(mib.unit, "MiB");
    EXPECT_THAT(labels(mib), ElementsAre("0", "128", "256", "384", "512", "640"));
}

TEST(BinaryTicks, StayWithinTheAxisAndTheCountAtEverySize) {
    for (double upper = 1; upper < 1e19; upper *= 1.7) {
        for (const int most : {1, 3, 8}) {
            const Ticks t = binaryTicks(upper, most);
            ASSERT_GE(t.ticks.size(), 1U) << upper;
            EXPECT_LE(t.ticks.size(), static_cast<std::size_t>(most) + 1) << upper;
            EXPECT_LE(t.ticks.back().at, upper * 1.000001);
        }
    }
    EXPECT_TRUE(binaryTicks(0, 5).ticks.empty());
    EXPECT_TRUE(binaryTicks(std::nan(""), 5).ticks.empty());
    EXPECT_TRUE(binaryTicks(INFINITY, 5).ticks.empty());
}

TEST(BinaryTicks, MayBeginAnywhere) {
    const Ticks mib = binaryTicks(70 * kMebi, 101 * kMebi, 4);
    EXPECT_EQ(mib.unit, "MiB");
    EXPECT_THAT(labels(mib), ElementsAre("72", "80", "88", "96"));
    EXPECT_TRUE(binaryTicks(5, 5, 4).ticks.empty());
}

TEST(RoundTicks, AreRoundAndNeverMoreThanAsked) {
    EXPECT_EQ(places(roundTicks(0, 14, 4)), (std::vector<double>{0, 5, 10}));
    EXPECT_EQ(places(roundTicks(-20, 5, 5)), (std::vector<double>{-20, -15, -10, -5, 0, 5}));
    EXPECT_THAT(labels(roundTicks(-20, 5, 2)), ElementsAre("-20", "0"));
    for (const double to : {0.03, 1.0, 7.3, 999.0, 1e9}) {
        for (const int most : {1, 3, 8}) {
            EXPECT_LE(roundTicks(0, to, most).ticks.size(), static_cast<std::size_t>(most) + 1);
        }
    }
}

TEST(AxisTicks, OfALogarithmicAxisArePowers) {
    const Ticks bytes = axisTicks({100 * kMebi, 5 * kGibi, true}, Measure::Bytes, 8);
    EXPECT_THAT(labels(bytes), ElementsAre("128 MiB", "256 MiB", "512 MiB", "1 GiB", "2 GiB", "4 GiB"));
    EXPECT_EQ(bytes.unit, "") << "each has its own";
    EXPECT_THAT(labels(axisTicks({1, 1e4, true}, Measure::Number, 5)),
                ElementsAre("1", "10", "100", "1000", "10000"));
    const Ticks ms = axisTicks({0.9, 60, true}, Measure::Millis, 8);
    EXPECT_THAT(labels(ms), ElementsAre("1", "2", "5", "10", "20", "50"));
    EXPECT_EQ(ms.unit, "ms");
    EXPECT_THAT(labels(axisTicks({1, 1e12, true}, Measure::Number, 4)),
                ElementsAre("1", "1000", "1e+06", "1e+09", "1e+12"));
}

TEST(AxisTicks, OfAShortLogarithmicAxisAreTheLinearOnes) {
    EXPECT_THAT(labels(axisTicks({80 * kMebi, 101 * kMebi, true}, Measure::Bytes, 4)),
                ElementsAre("80", "88", "96"));
    EXPECT_THAT(labels(axisTicks({41, 44, true}, Measure::Number, 3)), ElementsAre("41", "42", "43", "44"));
}

TEST(AxisSpan, PlacesZoomsAndMoves) {
    const AxisSpan linear{10, 30};
    EXPECT_DOUBLE_EQ(linear.part(15), 0.25);
    EXPECT_DOUBLE_EQ(linear.at(0.25), 15);
    EXPECT_EQ(linear.zoomed(0.5, 2), (AxisSpan{15, 25}));
    EXPECT_EQ(linear.moved(0.5), (AxisSpan{20, 40}));
    const AxisSpan log{1, 10000, true};
    EXPECT_DOUBLE_EQ(log.part(100), 0.5);
    EXPECT_DOUBLE_EQ(log.at(0.25), 10);
    EXPECT_NEAR(log.zoomed(0.5, 2).from, 10, 1e-9);
    EXPECT_NEAR(log.zoomed(0.5, 2).to, 1000, 1e-9);
    EXPECT_NEAR(log.moved(0.25).to, 100000, 1e-6);
    EXPECT_LT(log.part(0), -10) << "far below, but a number";
    EXPECT_TRUE(std::isfinite(log.part(-3)));
}

TEST(TimeTicks, AreRoundAndNameTheUnit) {
    EXPECT_THAT(labels(timeTicks(0, 200, 5)), ElementsAre("0", "50", "100", "150", "200"));
    const Ticks seconds = timeTicks(0, 30000, 6);
    EXPECT_EQ(seconds.unit, "s");
    EXPECT_THAT(labels(seconds), ElementsAre("0", "5", "10", "15", "20", "25", "30"));
    EXPECT_THAT(labels(timeTicks(0, 0.4, 4)), ElementsAre("0", "0.1", "0.2", "0.3", "0.4"));
    EXPECT_EQ(timeTicks(0, 3.6e6, 6).unit, "min");
    EXPECT_TRUE(timeTicks(5, 5, 4).ticks.empty());
}

TEST(StepTicks, AreWholeAndBeginWithTheFirstStep) {
    EXPECT_THAT(labels(stepTicks(-2.5, 40.5, 5)), ElementsAre("1", "10", "20", "30", "40"));
    EXPECT_THAT(labels(stepTicks(0.5, 3.5, 10)), ElementsAre("1", "2", "3"));
    EXPECT_THAT(labels(stepTicks(100.5, 200.5, 5)), ElementsAre("120", "140", "160", "180", "200"));
}

}  // namespace
}  // namespace highwater::widgets
