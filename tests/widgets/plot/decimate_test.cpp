#include "widgets/plot/decimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace highwater::widgets {
namespace {

struct Series {
    std::vector<double> x, y;
};

Series randomSeries(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::exponential_distribution<double> gap(1.0);
    std::normal_distribution<double> value(0, 100);
    Series s;
    double at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        s.x.push_back(at);
        s.y.push_back(value(random));
        at += gap(random);
    }
    return s;
}

class Decimate : public ::testing::TestWithParam<std::tuple<int, int, unsigned>> {};

TEST_P(Decimate, KeepsEveryPixelsExtremesInOrderAndWithinBounds) {
    const auto [n, pixels, seed] = GetParam();
    const Series s = randomSeries(static_cast<std::size_t>(n), seed);
    const double from = s.x.back() * 0.2;
    const double to = s.x.back() * 0.9;
    const std::vector<std::size_t> kept = decimateMinMax(s.x, s.y, from, to, pixels);

    EXPECT_LE(kept.size(), static_cast<std::size_t>(pixels) * 4 + 2);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());

    struct Extremes {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        bool operator==(const Extremes&) const = default;
    };
    std::vector<Extremes> all(static_cast<std::size_t>(pixels)), seen = all;
    const auto add = [&](std::vector<Extremes>& to_, std::size_t i) {
        if (s.x[i] < from || s.x[i] > to) {
            return;
        }
        const auto p = static_cast<std::size_t>(
            std::clamp(static_cast<int>((s.x[i] - from) * (pixels / (to - from))), 0, pixels - 1));
        to_[p].low = std::min(to_[p].low, s.y[i]);
        to_[p].high = std::max(to_[p].high, s.y[i]);
    };
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        add(all, i);
    }
    for (const std::size_t i : kept) {
        add(seen, i);
    }
    EXPECT_EQ(all, seen);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Decimate,
                         ::testing::Combine(::testing::Values(2, 50, 1000, 100000),
                                            ::testing::Values(1, 7, 900), ::testing::Values(1U, 2U, 3U)));

TEST(DecimateEdges, BringsTheNeighborsOfTheViewAlong) {
    const std::vector<double> x = {0, 10, 20, 30, 40};
    const std::vector<double> y = {1, 2, 3, 4, 5};
    EXPECT_EQ(decimateMinMax(x, y, 12, 28, 100), (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(decimateMinMax(x, y, 100, 200, 100), (std::vector<std::size_t>{4}));
    EXPECT_EQ(decimateMinMax(x, y, -9, -1, 100), (std::vector<std::size_t>{0}));
}

TEST(DecimateEdges, EmptyOrImpossibleGivesNothing) {
    const std::vector<double> one = {1};
    EXPECT_TRUE(decimateMinMax({}, {}, 0, 1, 10).empty());
    EXPECT_TRUE(decimateMinMax(one, one, 0, 1, 0).empty());
    EXPECT_TRUE(decimateMinMax(one, one, 1, 1, 10).empty());
    EXPECT_TRUE(decimateMinMax(one, one, std::nan(""), 1, 10).empty());
    EXPECT_EQ(decimateMinMax(one, one, 0, 2, 10).size(), 1U);
}

TEST(DecimateEdges, SkipsWhatIsNotFinite) {
    std::vector<double> x, y;
    for (int i = 0; i < 1000; ++i) {
        x.push_back(i);
        y.push_back(i % 3 == 0 ? std::nan("") : i);
    }
    for (const int pixels : {3, 2000}) {
        for (const std::size_t i : decimateMinMax(x, y, 100, 900, pixels)) {
            EXPECT_TRUE(std::isfinite(y[i])) << i;
        }
    }
}

TEST(StepsPerBar, IsTheSmallestPowerOfTwoThatIsWideEnough) {
    EXPECT_EQ(stepsPerBar(40, 900), 1);
    EXPECT_EQ(stepsPerBar(300, 900), 1);
    EXPECT_EQ(stepsPerBar(301, 900), 2);
    EXPECT_EQ(stepsPerBar(10000, 900), 64);
    for (const double steps : {1.0, 17.0, 999.0, 12345.0, 1e7}) {
        const long long per = stepsPerBar(steps, 640);
        EXPECT_EQ(per & (per - 1), 0);
        EXPECT_GE(640 * static_cast<double>(per) / steps, 3);
        EXPECT_TRUE(per == 1 || 640 * static_cast<double>(per / 2) / steps < 3);
    }
    EXPECT_EQ(stepsPerBar(0, 900), 1);
    EXPECT_EQ(stepsPerBar(10, 0), 1);
}

}  // namespace
}  // namespace highwater::widgets
