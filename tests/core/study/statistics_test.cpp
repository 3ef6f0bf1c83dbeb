#include "core/study/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace highwater::study {
namespace {

/// MSER as in the paper, quadratic.
std::size_t naiveWarmUp(const std::vector<double>& y) {
    const std::size_t n = y.size();
    if (n < 4) {
        return 0;
    }
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d <= n / 2; ++d) {
        double mean = 0, squares = 0;
        for (std::size_t i = d; i < n; ++i) {
            mean += y[i] / static_cast<double>(n - d);
        }
        for (std::size_t i = d; i < n; ++i) {
            squares += (y[i] - mean) * (y[i] - mean);
        }
        const double mser = squares / static_cast<double>((n - d) * (n - d));
        if (mser < least * (1 - 1e-9)) {
            least = mser, best = d;
        }
    }
    return best;
}

TEST(WarmUp, KnownAnswers) {
    EXPECT_EQ(warmUpOf({}), 0U);
    EXPECT_EQ(warmUpOf(std::vector<double>{9, 1, 1}), 0U);
    EXPECT_EQ(warmUpOf(std::vector<double>{9, 1, 1, 1}), 1U);
    EXPECT_EQ(warmUpOf(std::vector<double>{9, 4, 1, 1, 1, 1, 1, 1}), 2U);
    EXPECT_EQ(warmUpOf(std::vector<double>(20, 0.1)), 0U);
    EXPECT_EQ(warmUpOf(std::vector<double>{8, 8, 8, 8, 1, 1, 1, 1}), 4U);
    // No more than half is discarded.
    EXPECT_EQ(warmUpOf(std::vector<double>{9, 9, 9, 9, 9, 1, 1, 1}), 0U);
    EXPECT_EQ(warmUpOf(std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2, 1}), 0U);  // no trend
}

TEST(WarmUp, IsTheQuadraticOne) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        std::vector<double> y(random() % 40);
        const auto warm = static_cast<double>(random() % 10);
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = 100 + 80 * std::exp(-static_cast<double>(i) / (0.5 + warm)) +
                   std::normal_distribution<>(0, 4)(random);
        }
        EXPECT_EQ(warmUpOf(y), naiveWarmUp(y));
        EXPECT_LE(warmUpOf(y), y.size() / 2);
    }
}

TEST(WarmUp, DoesNotChangeWithUnitOrOffset) {
    std::mt19937_64 random(8);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> y(8 + random() % 20), other;
        for (double& v : y) {
            v = static_cast<double>(random() % 64);
        }
        for (const double v : y) {
            other.push_back(4 * v + 1024);
        }
        EXPECT_EQ(warmUpOf(other), naiveWarmUp(y));
    }
}

TEST(Pairs, KnownAnswers) {
    EXPECT_EQ(paired({}, {}), Paired{});
    EXPECT_EQ(paired(std::vector<double>{1, 2}, std::vector<double>{1, 0}), Paired{});
    EXPECT_EQ(paired(std::vector<double>{1, std::nan("")}, std::vector<double>{1, 1}), Paired{});
    const Paired twice = paired(std::vector<double>{2, 4, 6, 1}, std::vector<double>{1, 2, 3});
    EXPECT_EQ(twice.ratio, (base::Interval{2, 2, 2, 3}));
    EXPECT_TRUE(twice.differs);
    EXPECT_FALSE(paired(std::vector<double>{2}, std::vector<double>{1}).differs);  // one pair proves nothing
    // Three on one side are not enough, though the bootstrap's interval is [1.01, 1.05].
    const Paired three = paired(std::vector<double>{1.01, 1.03, 1.05}, std::vector<double>{1, 1, 1});
    EXPECT_FALSE(three.differs);
    EXPECT_LT(three.ratio.low, 1);
    // mean of logs 0.0295, s = 0.01942, t = 4.3027: 0.0295 +- 0.0482
    EXPECT_NEAR(three.ratio.low, std::exp(0.0295 - 0.0482), 5e-4);
    EXPECT_NEAR(three.ratio.high, std::exp(0.0295 + 0.0482), 5e-4);
}

TEST(Pairs, SixAndMoreHoldTheOrderStatistics) {
    // The median's exact 95 % intervals: ranks (from 1) by the number of values, from tables of the sign
    // test.
    const std::vector<std::pair<std::size_t, std::size_t>> ranks = {{6, 1},  {7, 1},  {8, 1},  {9, 2},
                                                                    {12, 3}, {15, 4}, {20, 6}, {25, 8}};
    for (const auto& [n, rank] : ranks) {
        std::vector<double> ratios;
        for (std::size_t i = 1; i <= n; ++i) {
            ratios.push_back(static_cast<double>(i));
        }
        const auto bootstrap = base::medianWithInterval(ratios);
        const auto interval = ratioInterval(ratios);
        EXPECT_EQ(interval.low, std::min(bootstrap.low, static_cast<double>(rank))) << n;
        EXPECT_EQ(interval.high, std::max(bootstrap.high, static_cast<double>(n + 1 - rank))) << n;
    }
}

TEST(Pairs, SwappingGivesTheReciprocal) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> a(1 + 2 * (random() % 6)), b(a.size());  // odd: the median is one of them
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = 1 + static_cast<double>(random() % 100), b[i] = 1 + static_cast<double>(random() % 100);
        }
        const Paired there = paired(a, b), back = paired(b, a);
        EXPECT_NEAR(there.ratio.median * back.ratio.median, 1, 1e-12);
        EXPECT_LE(there.ratio.low, there.ratio.median);
        EXPECT_GE(there.ratio.high, there.ratio.median);
        for (double& v : a) {
            v *= 1024;
        }
        EXPECT_NEAR(paired(a, b).ratio.low, 1024 * there.ratio.low, 1e-9 * there.ratio.low * 1024);
    }
}

/// The number of equal pairs reported as different.
double falseAlarms(std::size_t n, double outliers) {
    std::mt19937_64 random(n);
    std::normal_distribution<> noise(0, 0.05);
    std::bernoulli_distribution outlier(outliers);
    const auto value = [&] { return std::exp(noise(random)) * (outlier(random) ? 1.5 : 1); };
    int alarms = 0;
    const int rounds = 500;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> a(n), b(n);
        std::generate(a.begin(), a.end(), value);
        std::generate(b.begin(), b.end(), value);
        alarms += paired(a, b).differs;
    }
    return static_cast<double>(alarms) / rounds;
}

TEST(Pairs, EqualsDifferInOneOfTwentyAtMost) {
    for (const std::size_t n : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 12U, 20U}) {
        for (const double outliers : {0.0, 0.1}) {
            EXPECT_LE(falseAlarms(n, outliers), 0.07) << n << " pairs";  // 5 %, plus twice its standard error
        }
    }
}

TEST(HalfWidth, IsRelative) {
    EXPECT_DOUBLE_EQ(relativeHalfWidth({10, 9, 11, 3}), 0.1);
    EXPECT_TRUE(std::isinf(relativeHalfWidth({10, 9, 11, 2})));
    EXPECT_TRUE(std::isinf(relativeHalfWidth({})));
    EXPECT_TRUE(std::isinf(relativeHalfWidth({0, 0, 0, 5})));
}

TEST(Pareto, KnownAnswers) {
    EXPECT_TRUE(paretoFront({}).empty());
    EXPECT_EQ(paretoFront(std::vector<Point>{{2, 1}, {1, 2}, {2, 2}, {1, 3}, {3, 0.5}}),
              (std::vector<std::size_t>{1, 0, 4}));
    EXPECT_EQ(paretoFront(std::vector<Point>{{1, 1}, {1, 1}, {2, 1}}), (std::vector<std::size_t>{0, 1}));
}

TEST(Pareto, IsTheQuadraticOne) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 2000; ++round) {
        std::vector<Point> points(random() % 30);
        for (Point& p : points) {
            p = {static_cast<double>(random() % 8), static_cast<double>(random() % 8)};
        }
        std::vector<std::size_t> naive;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (std::none_of(points.begin(), points.end(), [&](const Point& o) {
                    return o.x <= points[i].x && o.y <= points[i].y &&
                           (o.x < points[i].x || o.y < points[i].y);
                })) {
                naive.push_back(i);
            }
        }
        auto front = paretoFront(points);
        EXPECT_TRUE(std::is_sorted(front.begin(), front.end(),
                                   [&](auto l, auto r) { return points[l].x < points[r].x; }));
        std::sort(front.begin(), front.end());
        EXPECT_EQ(front, naive);
    }
}

}  // namespace
}  // namespace highwater::study
