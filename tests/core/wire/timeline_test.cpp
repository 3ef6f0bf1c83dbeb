#include "core/wire/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace highwater::wire {
namespace {

std::vector<TimelinePoint> points(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<TimelinePoint> all(count);
    double time = 0;
    for (auto& point : all) {
        point.time = time += static_cast<double>(random() % 1000) / 1e3;
        point.ledger[memory::Category::Activations] = static_cast<base::Bytes>(random() % 1000000);
    }
    return all;
}

TEST(Timeline, FewPointsAreKeptAsTheyAre) {
    EXPECT_EQ(thin(points(400, 1), 400), points(400, 1));
    EXPECT_TRUE(thin({}, 400).empty());
}

TEST(Timeline, ManyPointsKeepOrderEndsAndExtremes) {
    const auto less = [](const auto& a, const auto& b) { return a.ledger.total() < b.ledger.total(); };
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto all = points(5000 + seed * 777, seed);
        const auto kept = thin(all, 400);
        ASSERT_LE(kept.size(), 400U);
        EXPECT_GT(kept.size(), 300U);
        EXPECT_EQ(kept.front(), all.front());
        EXPECT_EQ(kept.back(), all.back());
        EXPECT_TRUE(
            std::is_sorted(kept.begin(), kept.end(), [](auto& a, auto& b) { return a.time < b.time; }));
        EXPECT_EQ(std::max_element(kept.begin(), kept.end(), less)->ledger,
                  std::max_element(all.begin(), all.end(), less)->ledger);
        EXPECT_EQ(std::min_element(kept.begin(), kept.end(), less)->ledger,
                  std::min_element(all.begin(), all.end(), less)->ledger);
    }
}

TEST(Timeline, PointsOfOneMomentAreThinnedToo) {
    auto all = points(3000, 3);
    for (auto& point : all) {
        point.time = 5;
    }
    EXPECT_LE(thin(all, 100).size(), 100U);
}

}  // namespace
}  // namespace highwater::wire
