#include "core/base/statistics.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace highwater::base {
namespace {

TEST(Median, MiddleOrMeanOfTheTwo) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
    EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
}

TEST(MedianWithInterval, FewValuesGiveTheirRange) {
    EXPECT_EQ(medianWithInterval({}), Interval{});
    EXPECT_EQ(medianWithInterval(std::vector<double>{1, 3}), (Interval{2, 1, 3, 2}));
}

TEST(MedianWithInterval, IsRepeatable) {
    const std::vector<double> v = {5, 1, 4, 2, 9, 7};
    EXPECT_EQ(medianWithInterval(v), medianWithInterval(v));
}

TEST(MedianWithInterval, HoldsTheTrueMedianAboutNineteenTimesInTwenty) {
    std::mt19937_64 random(11);
    std::lognormal_distribution<double> step(5, 0.1);  // median e^5
    int held = 0;
    constexpr int trials = 300;
    for (int i = 0; i < trials; ++i) {
        std::vector<double> values(25);
        for (double& v : values) {
            v = step(random);
        }
        const Interval interval = medianWithInterval(values);
        held += interval.low <= std::exp(5) && std::exp(5) <= interval.high;
    }
    EXPECT_GE(held, trials * 90 / 100);
    EXPECT_LE(held, trials * 99 / 100);
}

TEST(TimeLeft, IsUnknownWithoutAStep) {
    const std::vector<double> times = {10, 12, 90};
    EXPECT_EQ(timeLeft({}, 0, 5), std::nullopt);
    EXPECT_EQ(timeLeft(times, 3, 5), 24.0);
    EXPECT_EQ(timeLeft(times, 5, 5), 0.0);
    EXPECT_EQ(timeLeft(times, 6, 5), std::nullopt);
}

}  // namespace
}  // namespace highwater::base
