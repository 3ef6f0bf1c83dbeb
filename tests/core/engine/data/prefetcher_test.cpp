#include "core/engine/data/prefetcher.h"

#include <gtest/gtest.h>

#include <atomic>

namespace highwater::engine {
namespace {

constexpr double kHour = 3.6e6;
const auto kNoCheck = [] {};

TEST(Prefetcher, GivesEverySampleOnceAndInOrder) {
    for (const std::size_t workers : {1, 2, 7}) {
        for (const std::size_t slots : {1, 3, 16}) {
            std::vector<std::int64_t> begun, made(slots, -1);
            Prefetcher prefetcher(
                workers, slots,
                {[&](std::int64_t sample, std::size_t) { begun.push_back(sample); },
                 [&](std::int64_t sample, std::size_t slot, std::size_t worker, const Wait& wait) {
                     EXPECT_LT(worker, workers);
                     wait(sample % 3 == 0 ? 0.2 : 0);
                     made[slot] = sample;
                 }});
            for (std::int64_t sample = 0; sample < 100; ++sample) {
                const std::size_t slot = prefetcher.take(kNoCheck);
                ASSERT_EQ(made[slot], sample);
                prefetcher.giveBack();
            }
            prefetcher.stop();
            for (std::size_t i = 0; i < begun.size(); ++i) {
                ASSERT_EQ(begun[i], static_cast<std::int64_t>(i));
            }
        }
    }
}

/// However slow the disk: each sample is read once, and no more are read than slots can hold.
TEST(Prefetcher, ReadsAheadAsFarAsItsSlotsAndNoFurther) {
    constexpr std::int64_t kSlots = 6, kTaken = 20;
    std::atomic<std::int64_t> reads{0}, together{0}, most{0};
    Prefetcher prefetcher(3, kSlots, {{}, [&](std::int64_t, std::size_t, std::size_t, const Wait& wait) {
                                          const std::int64_t now = ++together;
                                          for (std::int64_t seen = most;
                                               now > seen && !most.compare_exchange_weak(seen, now);) {
                                          }
                                          wait(2);
                                          ++reads;
                                          --together;
                                      }});
    for (std::int64_t sample = 0; sample < kTaken; ++sample) {
        prefetcher.take(kNoCheck);
        EXPECT_LE(prefetcher.begun(), sample + kSlots);
        prefetcher.giveBack();
    }
    while (reads < kTaken + kSlots) {
        std::this_thread::yield();
    }
    EXPECT_EQ(prefetcher.begun(), kTaken + kSlots);
    prefetcher.stop();
    EXPECT_EQ(reads, kTaken + kSlots);
    EXPECT_GT(most, 1) << "reads overlap";
    EXPECT_LE(most, 3);
}

TEST(Prefetcher, WhatGoesWrongIsThrownWhereTheSampleIsTaken) {
    for (const bool whenBegun : {false, true}) {
        const auto fail = [](std::int64_t sample) {
            if (sample == 3) {
                throw DataFailed("sample 3");
            }
        };
        Prefetcher prefetcher(2, 8,
                              {[&](std::int64_t sample, std::size_t) { whenBegun ? fail(sample) : void(); },
                               [&](std::int64_t sample, std::size_t, std::size_t, const Wait&) {
                                   whenBegun ? void() : fail(sample);
                               }});
        for (int sample = 0; sample < 3; ++sample) {
            prefetcher.take(kNoCheck);
            prefetcher.giveBack();
        }
        EXPECT_THROW(prefetcher.take(kNoCheck), DataFailed);
    }
}

TEST(Prefetcher, SlowReadsEndWithIt) {
    std::atomic<int> begun{0};
    {
        Prefetcher prefetcher(4, 4, {{}, [&](std::int64_t, std::size_t, std::size_t, const Wait& wait) {
                                         ++begun;
                                         wait(kHour);
                                         ADD_FAILURE() << "the wait came to its end";
                                     }});
        while (begun < 4) {
            std::this_thread::yield();
        }
    }
    EXPECT_EQ(begun, 4);
}

TEST(Prefetcher, TakingLooksWhetherToGoOn) {
    Prefetcher prefetcher(
        1, 1, {{}, [](std::int64_t, std::size_t, std::size_t, const Wait& wait) { wait(kHour); }});
    int looks = 0;
    EXPECT_THROW(prefetcher.take([&] {
        if (++looks == 3) {
            throw std::runtime_error("cancelled");
        }
    }),
                 std::runtime_error);
    EXPECT_EQ(looks, 3);
}

}  // namespace
}  // namespace highwater::engine
