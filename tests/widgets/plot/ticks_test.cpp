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
