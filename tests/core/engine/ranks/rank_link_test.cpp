#include "core/engine/ranks/rank_link.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "tests/core/engine/ranks/on_ranks.h"

namespace highwater::engine::testing {
namespace {

TEST(RankLink, SumsAreTheSameOnAllRanksAndThoseOfTheirOrder) {
    constexpr int kRanks = 3;
    constexpr std::size_t kCount = 600'001;  // more than two pieces
    std::vector<std::vector<float>> values(kRanks, std::vector<float>(kCount));
    std::vector<float> expected(kCount, 0);
    for (int rank = 0; rank < kRanks; ++rank) {
        auto& mine = values[static_cast<std::size_t>(rank)];
        for (std::size_t i = 0; i < kCount; ++i) {
            mine[i] = 1.0F / static_cast<float>(1 + (i * 7919 + static_cast<std::size_t>(rank) * 31) % 1009);
            expected[i] += mine[i];
        }
    }
    onRanks(kRanks, [&](RankLink& link) {
        auto& mine = values[static_cast<std::size_t>(link.rank())];
        link.sum(mine.data(), mine.size());
    });
    for (const auto& each : values) {
        EXPECT_EQ(each, expected);
    }
}

TEST(RankLink, BroadcastsAndSumsMayFollowEachOther) {
    onRanks(4, [](RankLink& link) {
        for (int round = 0; round < 50; ++round) {
            const int root = round % link.count();
            std::vector<char> text(static_cast<std::size_t>(round) * 70'000, static_cast<char>(link.rank()));
            link.broadcast(text.data(), text.size(), root);
            EXPECT_EQ(std::count(text.begin(), text.end(), static_cast<char>(root)), std::ssize(text));
            float one = static_cast<float>(link.rank());
            link.sum(&one, 1);
            EXPECT_EQ(one, 6);
        }
    });
}

TEST(RankLink, ARankThatStopsEndsTheOthersWaiting) {
    onRanks(3, [](RankLink& link) {
        float one = 1;
        if (link.rank() == 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            link.stop();
            return;
        }
        EXPECT_THROW(link.sum(&one, 1), RanksStopped);
        EXPECT_TRUE(link.stopped());
        EXPECT_THROW(link.broadcast(&one, sizeof one, 0), RanksStopped);
    });
}

TEST(RankLink, ACancelledRankStopsAll) {
    std::atomic<bool> cancel{false};
    onRanks(2, [&](RankLink& link) {
        float one = 1;
        if (link.rank() == 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            cancel = true;
            return;
        }
        link.watch(&cancel);
        EXPECT_THROW(link.sum(&one, 1), RanksStopped);
    });
}

TEST(RankLink, AnotherDescriptorIsRefused) {
    const auto memory = RankLink::makeMemory(2);
    ASSERT_TRUE(memory);
    EXPECT_FALSE(RankLink::join(memory->get(), 0, 3));
    EXPECT_FALSE(RankLink::join(-1, 0, 2));
}

}  // namespace
}  // namespace highwater::engine::testing
