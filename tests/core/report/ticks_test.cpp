#include "core/report/ticks.h"

#include <gmock/gmock.h>

#include "core/base/units.h"

namespace highwater::report {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Ticks& ticks) {
    std::vector<std::string> out;
    for (const Tick& tick : ticks.ticks) {
        out.push_back(tick.label);
    }
    return out;
}

TEST(Ticks, BytesAreRoundInBinaryUnits) {
    const Ticks ticks = byteTicks(2.2 * base::kGiB);
    EXPECT_EQ(ticks.unit, "GiB");
    EXPECT_THAT(labels(ticks), ElementsAre("0.0", "0.5", "1.0", "1.5", "2.0", "2.5"));
    EXPECT_DOUBLE_EQ(ticks.top, 2.5 * base::kGiB);
    EXPECT_DOUBLE_EQ(ticks.ticks[2].at, static_cast<double>(base::kGiB));
}

TEST(Ticks, AnExactMaximumNeedsNoFurtherTick) {
    const Ticks ticks = byteTicks(500.0 * base::kMiB);
    EXPECT_EQ(ticks.unit, "MiB");
    EXPECT_THAT(labels(ticks), ElementsAre("0", "100", "200", "300", "400", "500"));
}

TEST(Ticks, NothingStillGivesAnAxis) {
    const Ticks ticks = byteTicks(0);
    EXPECT_EQ(ticks.unit, "B");
    EXPECT_GT(ticks.top, 0);
    EXPECT_GE(ticks.ticks.size(), 2u);
}

TEST(Ticks, EveryMaximumIsCoveredWithFewTicks) {
    for (double most = 1; most < 1e15; most *= 1.37) {
        const Ticks ticks = byteTicks(most);
        EXPECT_GE(ticks.top, most * (1 - 1e-9)) << most;
        EXPECT_LE(ticks.ticks.size(), 7u) << most;
    }
}

TEST(Ticks, TimesTurnToSeconds) {
    EXPECT_EQ(timeTicks(200).unit, "ms");
    EXPECT_EQ(timeTicks(25'000).unit, "s");
    EXPECT_THAT(labels(timeTicks(25'000)), ElementsAre("0", "5", "10", "15", "20", "25"));
}

TEST(Ticks, StepsBeginWithTheFirst) {
    EXPECT_THAT(labels(countTicks(1, 40, 8)),
                ElementsAre("step 1", "5", "10", "15", "20", "25", "30", "35", "40"));
    EXPECT_THAT(labels(countTicks(1, 1, 8)), ElementsAre("step 1"));
}

TEST(Ticks, StepsAreNumberedFromTheFirstThatIsMeasured) {
    const Ticks ticks = countTicks(1, 23, 5, 3);
    EXPECT_THAT(labels(ticks), ElementsAre("step 1", "5", "10", "15", "20"));
    EXPECT_EQ(ticks.ticks.front().at, 4);
    EXPECT_EQ(ticks.ticks.back().at, 23);
    EXPECT_THAT(labels(countTicks(1, 2, 8, 3)), ElementsAre("warm-up 1"));
}

TEST(Ticks, NumbersSurroundTheirRange) {
    const Ticks ticks = numberTicks(-0.3, 0.9);
    EXPECT_LE(ticks.bottom, -0.3);
    EXPECT_GE(ticks.top, 0.9);
    EXPECT_GT(numberTicks(2, 2).top, 2);
}

}  // namespace
}  // namespace highwater::report
